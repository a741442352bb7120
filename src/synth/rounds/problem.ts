/** What is to be moved over which network in how many rounds. */
import type { Column, Commodity, Hop } from './columns.ts';
import type { Reductions } from './demands.ts';
import type { RoundsNetwork } from './network.ts';

export interface RoundsProblem {
  readonly network: RoundsNetwork;
  readonly rounds: number;
  readonly commodities: readonly Commodity[];
  readonly reductions: Reductions;
}

/** The rank that reduces what a hop of a column carries; −1 where it is copied. */
export function reducerOf({ network, reductions }: RoundsProblem, { turn }: Pick<Column, 'turn'>, hop: Hop): number {
  const ways = network.from.length;
  if (reductions === 'none') return -1;
  if (reductions === 'at-start') return network.from[hop % ways];
  return hop < turn * ways ? network.to[hop % ways] : -1;
}

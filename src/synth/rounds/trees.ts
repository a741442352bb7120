/**
 * The cheapest trees of a network in rounds: from one rank to others, where data moves over at most one way each round and may wait
 * anywhere. To find the very cheapest is the Steiner problem (cheapest-trees.ts); here the nearest rank that is missing joins over the cheapest path
 * (Takahashi and Matsuyama 1980), and then every rank takes the cheapest way in that there is for it.
 */

import { never } from '../../ir/none.ts';
import type { Random } from '../../ir/random.ts';
import { sumError } from '../../ir/units.ts';
import type { RoundsNetwork } from './network.ts';
import type { Hop } from './problem.ts';

/** The rounds that a tree has from its root on, one after the other: `way` in round r of the tree is hop first + r · step + way. */
export interface TreeRounds {
  readonly ranks: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly rounds: number;
  readonly first: Hop;
  readonly step: number;
}

/** For what spreads: from a round on. */
export function roundsFrom({ ranks, from, to }: Ends, round: number, rounds: number): TreeRounds {
  return { ranks, from, to, rounds: rounds - round, first: round * from.length, step: from.length };
}

/** For what comes together: those before a round, the last of them first, over ways that are turned round. */
export function roundsBefore({ ranks, from, to }: Ends, round: number): TreeRounds {
  return { ranks, from: to, to: from, rounds: round, first: (round - 1) * from.length, step: -from.length };
}

type Ends = Pick<RoundsNetwork, 'ranks' | 'from' | 'to'>;

/** By rank: after how many rounds it has the data, and the way that brought it; −1 at the root. */
interface Tree {
  readonly arrival: Int32Array;
  readonly into: Int32Array;
}

/**
 * @param targets the ranks to reach: all, or one
 * @param prices by hop, 0 or more
 * @param random ranks join in any order instead of the nearest first
 * @returns the hops of a tree, ascending; undefined where not all can be reached in time
 */
export function nearTree(
  over: TreeRounds,
  root: number,
  targets: readonly number[],
  prices: Float64Array,
  random?: Random,
): Hop[] | undefined {
  const { ranks, rounds, first, step } = over;
  const tree: Tree = { arrival: new Int32Array(ranks).fill(never), into: new Int32Array(ranks).fill(-1) };
  const { arrival, into } = tree;
  arrival[root] = 0;
  for (;;) {
    const missing = targets.filter((rank) => arrival[rank] === never);
    if (missing.length === 0) break;
    const { cost, last } = pathsFrom(over, tree, prices);
    const costOf = (rank: number): number => cost[rounds * ranks + rank];
    if (missing.some((rank) => costOf(rank) === Number.POSITIVE_INFINITY)) return undefined;
    const next =
      random === undefined
        ? missing.reduce((a, b) => (costOf(b) < costOf(a) ? b : a))
        : missing[random.below(missing.length)];
    join(over, tree, next, last);
  }
  improve(over, tree, prices);
  return [...into.keys()]
    .filter((rank) => into[rank] >= 0)
    .map((rank) => first + (arrival[rank] - 1) * step + into[rank])
    .sort((a, b) => a - b);
}

/** By round (before the first, after each) and rank: what it costs to be there by then, starting from where the tree is, and the way that was last, −1 for none. */
function pathsFrom(
  { ranks, from, to, rounds, first, step }: TreeRounds,
  { arrival }: Tree,
  prices: Float64Array,
): { readonly cost: Float64Array; readonly last: Int32Array } {
  const cost = new Float64Array((rounds + 1) * ranks);
  const last = new Int32Array((rounds + 1) * ranks).fill(-1);
  for (let rank = 0; rank < ranks; rank++) cost[rank] = arrival[rank] === 0 ? 0 : Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const [now, after] = [round * ranks, (round + 1) * ranks];
    for (let rank = 0; rank < ranks; rank++) cost[after + rank] = arrival[rank] <= round + 1 ? 0 : cost[now + rank];
    for (let way = 0; way < from.length; way++) {
      const through = cost[now + from[way]] + prices[first + round * step + way];
      if (through >= cost[after + to[way]]) continue;
      cost[after + to[way]] = through;
      last[after + to[way]] = way;
    }
  }
  return { cost, last };
}

/** Adds the path to a rank. */
function join({ ranks, from, rounds }: TreeRounds, { arrival, into }: Tree, rank: number, last: Int32Array): void {
  let [at, time] = [rank, rounds];
  while (arrival[at] > time) {
    const way = last[time * ranks + at];
    time--;
    if (way < 0) continue;
    [arrival[at], into[at]] = [time + 1, way];
    at = from[way];
  }
}

/** Gives each rank a cheaper way in, in time for what it passes on, until there is none. */
function improve(
  { ranks, from, to, rounds, first, step }: TreeRounds,
  { arrival, into }: Tree,
  prices: Float64Array,
): void {
  const leaves = new Int32Array(ranks);
  for (let changed = true; changed; ) {
    changed = false;
    leaves.fill(rounds);
    for (let rank = 0; rank < ranks; rank++) {
      if (into[rank] >= 0) leaves[from[into[rank]]] = Math.min(leaves[from[into[rank]]], arrival[rank] - 1);
    }
    for (let way = 0; way < from.length && !changed; way++) {
      const rank = to[way];
      if (into[rank] < 0) continue;
      for (let round = arrival[from[way]]; round < leaves[rank]; round++) {
        const now = prices[first + (arrival[rank] - 1) * step + into[rank]];
        if (prices[first + round * step + way] >= now - sumError) continue;
        [arrival[rank], into[rank]] = [round + 1, way];
        changed = true;
      }
    }
  }
}

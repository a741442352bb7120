/**
 * The cheapest trees of a network in rounds: from one rank to others, where data moves over at most one way each round and may wait
 * anywhere. To find the very cheapest is the Steiner problem; here the nearest rank that is missing joins over the cheapest path (Takahashi and
 * Matsuyama 1980).
 */
import { never } from '../../ir/none.ts';
import type { Random } from '../../ir/random.ts';
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
  const { ranks, from, rounds, first, step } = over;
  // By rank: after how many rounds it has the data, and the hop that brought it.
  const arrival = new Int32Array(ranks).fill(never);
  const into = new Map<number, Hop>();
  arrival[root] = 0;
  for (;;) {
    const missing = targets.filter((rank) => arrival[rank] === never);
    if (missing.length === 0) return [...into.values()].sort((a, b) => a - b);
    const { cost, last } = pathsFrom(over, arrival, prices);
    const costOf = (rank: number): number => cost[rounds * ranks + rank];
    if (missing.some((rank) => costOf(rank) === Number.POSITIVE_INFINITY)) return undefined;
    let at =
      random === undefined
        ? missing.reduce((a, b) => (costOf(b) < costOf(a) ? b : a))
        : missing[random.below(missing.length)];
    for (let time = rounds; arrival[at] > time; time--) {
      const way = last[time * ranks + at];
      if (way < 0) continue;
      arrival[at] = time;
      into.set(at, first + (time - 1) * step + way);
      at = from[way];
    }
  }
}

/** By round (before the first, after each) and rank: what it costs to be there by then, starting from where the tree is, and the way that was last, −1 for none. */
function pathsFrom(
  { ranks, from, to, rounds, first, step }: TreeRounds,
  arrival: Int32Array,
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

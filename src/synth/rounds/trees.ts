/**
 * Cheap trees from one rank to others in a network of rounds, where data moves over at most one arc per round and may
 * wait anywhere. The cheapest is a Steiner tree (NP-hard); this is the shortest-path heuristic: the nearest missing
 * rank joins over the cheapest path (Takahashi and Matsuyama 1980, ratio 2).
 */
import { never } from '../../ir/none.ts';
import type { Random } from '../../ir/random.ts';
import type { RoundsNetwork } from './network.ts';
import type { Hop } from './problem.ts';

/** The rounds available to a tree in order: arc `way` in round r of the tree is hop first + r · step + way. */
export interface TreeRounds {
  readonly ranks: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly rounds: number;
  readonly first: Hop;
  readonly step: number;
}

/** Rounds for spreading: from a round on. */
export function roundsFrom({ ranks, from, to }: Ends, round: number, rounds: number): TreeRounds {
  return { ranks, from, to, rounds: rounds - round, first: round * from.length, step: from.length };
}

/** Rounds for gathering: those before a round, the last one first, over reversed arcs. */
export function roundsBefore({ ranks, from, to }: Ends, round: number): TreeRounds {
  return { ranks, from: to, to: from, rounds: round, first: (round - 1) * from.length, step: -from.length };
}

type Ends = Pick<RoundsNetwork, 'ranks' | 'from' | 'to'>;

/**
 * @param targets the ranks to reach: all, or one
 * @param prices by hop, ≥ 0
 * @param random ranks join in random order instead of nearest first
 * @returns the hops of a tree, ascending; undefined if not all targets can be reached in time
 */
export function nearTree(
  over: TreeRounds,
  root: number,
  targets: readonly number[],
  prices: Float64Array,
  random?: Random,
): Hop[] | undefined {
  const { ranks, from, rounds, first, step } = over;
  // By rank: the number of rounds after which it has the data, and the hop that delivered it.
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

/**
 * By round (before the first, after each) and rank: the cost to reach the rank by then from the tree, and the last arc
 * of that path, −1 for none.
 */
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

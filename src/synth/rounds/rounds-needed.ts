/** How many rounds there have to be for everything to arrive. */
import type { Commodity } from './columns.ts';
import type { RoundsNetwork } from './network.ts';

/** Rounds for the farthest target of all; Infinity where one cannot be reached. */
export function leastRounds(network: RoundsNetwork, commodities: readonly Commodity[]): number {
  const { ranks } = network;
  const distances = Array.from({ length: ranks }, (_, rank) => hopsFrom(network, rank));
  const farthest = (source: number, targets: readonly number[]): number =>
    Math.max(...targets.map((target) => distances[source][target]));
  const needed = ({ source, targets }: Commodity): number => {
    if (source !== undefined) return farthest(source, targets);
    const together = (root: number): number => Math.max(...targets.map((target) => distances[target][root]));
    return Math.min(...targets.map((root) => together(root) + farthest(root, targets)));
  };
  return Math.max(0, ...commodities.map(needed));
}

function hopsFrom({ ranks, from, to }: RoundsNetwork, source: number): Float64Array {
  const hops = new Float64Array(ranks).fill(Number.POSITIVE_INFINITY);
  hops[source] = 0;
  for (let round = 0; round < ranks; round++) {
    for (let way = 0; way < from.length; way++) {
      if (hops[from[way]] === round) hops[to[way]] = Math.min(hops[to[way]], round + 1);
    }
  }
  return hops;
}

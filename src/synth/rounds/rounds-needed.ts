/** How many rounds there have to be for everything to arrive. */
import { distancesFrom } from '../distances.ts';
import type { Commodity } from './columns.ts';
import type { RoundsNetwork } from './network.ts';

/** Rounds for the farthest target of all; Infinity where one cannot be reached. */
export function leastRounds(network: RoundsNetwork, commodities: readonly Commodity[]): number {
  const next: number[][] = Array.from({ length: network.ranks }, () => []);
  network.from.forEach((rank, way) => {
    next[rank].push(network.to[way]);
  });
  const distances = next.map((_, rank) => distancesFrom(rank, network.ranks, (at) => next[at]));
  const farthest = (source: number, targets: readonly number[]): number =>
    Math.max(...targets.map((target) => distances[source][target]));
  const needed = ({ source, targets }: Commodity): number => {
    if (source !== undefined) return farthest(source, targets);
    const together = (root: number): number => Math.max(...targets.map((target) => distances[target][root]));
    return Math.min(...targets.map((root) => together(root) + farthest(root, targets)));
  };
  return Math.max(0, ...commodities.map(needed));
}

/**
 * The order of ranks in which a ring has short edges on the machine: a travelling-salesman problem with hop counts as
 * distances. Optimal for few ranks (Held and Karp, "A dynamic programming approach to sequencing problems", 1962),
 * local search for many.
 */
import type { Effort } from '../../ir/effort.ts';
import type { Routes } from '../../ir/routes.ts';
import { ranksOf } from '../../ir/topology.ts';
import { ringSearchLimits } from './limits.ts';
import { improveRing } from './ring-search.ts';

/** A ring over all ranks, and the mean distance of its neighbours on the machine. */
export interface RingOrder {
  /** `order[position]` is the rank at that position; rank 0 comes first. */
  readonly order: readonly number[];
  /** Mean number of links per edge r → r + 1 (mod N) of the ring 0, 1, …, N − 1; 0 for a single rank. */
  readonly before: number;
  /** The same for the ring in the order found. */
  readonly after: number;
}

/** `hops[from * N + to]`: number of links on the route; if there is no route, more than any route has. */
type Hops = Float64Array;

/**
 * Finds the ring with the shortest routes; ties go to the ranks' own order, for few ranks then to the lexicographically
 * smallest. Edges are directed along the ring.
 */
export function minStretchRing(routes: Routes, effort: Effort = 'full'): RingOrder {
  const ranks = ranksOf(routes.topology);
  const identity = Array.from({ length: ranks }, (_, rank) => rank);
  if (ranks < 2) return { order: identity, before: 0, after: 0 };
  const average = (order: readonly number[]) =>
    order.reduce((sum, rank, at) => sum + routes.hops(rank, order[(at + 1) % ranks]), 0) / ranks;
  const before = average(identity);
  if (before === 1) return { order: identity, before, after: before };
  // Longer than any ring, so that an edge without a route is the last resort, but finite, because lengths are
  // subtracted.
  const unreachable = ranks * routes.topology.nodes.length;
  const hops = new Float64Array(ranks * ranks);
  for (const a of identity) {
    for (const b of identity) if (a !== b) hops[a * ranks + b] = Math.min(unreachable, routes.hops(a, b));
  }
  const order = ranks <= ringSearchLimits.ranksExactly ? shortestRing(hops, ranks) : improveRing(hops, ranks, effort);
  return { order, before, after: average(order) };
}

/**
 * Held-Karp table: `rest[set * N + last]` is the length of the shortest path from `last` through all ranks outside
 * `set` back to rank 0. The ring is then read off from rank 0 on, always with the smallest rank that keeps it optimal.
 */
function shortestRing(hops: Hops, ranks: number): number[] {
  const everyone = 2 ** ranks - 1;
  const rest = new Float64Array((everyone + 1) * ranks).fill(Number.POSITIVE_INFINITY);
  for (let last = 0; last < ranks; last++) rest[everyone * ranks + last] = hops[last * ranks];
  for (let set = everyone - 1; set > 0; set--) {
    for (let last = 0; last < ranks; last++) {
      if ((set & (1 << last)) === 0) continue;
      for (let next = 0; next < ranks; next++) {
        if ((set & (1 << next)) !== 0) continue;
        const length = hops[last * ranks + next] + rest[(set | (1 << next)) * ranks + next];
        if (length < rest[set * ranks + last]) rest[set * ranks + last] = length;
      }
    }
  }
  const order = [0];
  for (let set = 1, last = 0; set !== everyone; ) {
    let next = 0;
    const least = rest[set * ranks + last];
    const loses = (rank: number) => hops[last * ranks + rank] + rest[(set | (1 << rank)) * ranks + rank] !== least;
    while ((set & (1 << next)) !== 0 || loses(next)) next++;
    order.push(next);
    set |= 1 << next;
    last = next;
  }
  return order;
}

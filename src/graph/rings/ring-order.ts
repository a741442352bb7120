/**
 * In which order the ranks should stand in a ring, so that its edges are short on the machine: a travelling salesman's
 * problem with hops as distances. Exact for few ranks (Held and Karp, "A dynamic programming approach to sequencing problems",
 * 1962), local search for many.
 */
import type { Effort } from '../../ir/effort.ts';
import type { Routes } from '../../ir/routes.ts';
import { ranksOf } from '../../ir/topology.ts';
import { ringSearchLimits } from './limits.ts';
import { improveRing } from './ring-search.ts';

/** A ring of all ranks and how far apart on the machine its neighbours stand. */
export interface RingOrder {
  /** `order[position]` is the rank that stands there; rank 0 comes first. */
  readonly order: readonly number[];
  /** Average links per edge r → r + 1 (mod N) of the ring 0, 1, …, N − 1; 0 for a single rank. */
  readonly before: number;
  /** The same for the ring in the order found. */
  readonly after: number;
}

/** `hops[from * N + to]`: links on the route, or more than any route has where there is none. */
type Hops = Float64Array;

/**
 * Finds the order of ranks whose ring has the shortest routes; among equals the ranks' own order, then the lexicographically least of
 * few ranks. Edges count in the direction in which the ring goes round.
 */
export function minStretchRing(routes: Routes, effort: Effort = 'full'): RingOrder {
  const ranks = ranksOf(routes.topology);
  const identity = Array.from({ length: ranks }, (_, rank) => rank);
  if (ranks < 2) return { order: identity, before: 0, after: 0 };
  const average = (order: readonly number[]) =>
    order.reduce((sum, rank, at) => sum + routes.hops(rank, order[(at + 1) % ranks]), 0) / ranks;
  const before = average(identity);
  if (before === 1) return { order: identity, before, after: before };
  // Longer than any way round, so that an edge without a route is the last resort, but finite: lengths are subtracted.
  const unreachable = ranks * routes.topology.nodes.length;
  const hops = new Float64Array(ranks * ranks);
  for (const a of identity) {
    for (const b of identity) if (a !== b) hops[a * ranks + b] = Math.min(unreachable, routes.hops(a, b));
  }
  const order = ranks <= ringSearchLimits.ranksExactly ? shortestRing(hops, ranks) : improveRing(hops, ranks, effort);
  return { order, before, after: average(order) };
}

/**
 * `rest[set * N + last]` is the least length of a way from `last` through all ranks that are not in `set` and back to rank 0;
 * then the ring is read off from rank 0 on, always with the least rank that loses nothing.
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

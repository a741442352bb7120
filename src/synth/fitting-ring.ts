/** The order of ranks in which a ring fits the machine best. */
import { minStretchRing, type RingOrder } from '../graph/index.ts';
import type { Effort } from '../ir/effort.ts';
import type { Routes } from '../ir/routes.ts';
import { ranksOf } from '../ir/topology.ts';
import { foldedRing, rowOf } from './row.ts';

/** A ring, and whether it fits better than the ring in order of ranks. */
export interface FittingRing extends RingOrder {
  readonly isBetter: boolean;
}

/** Cache: many collectives request the ring of the same machine. */
const known = { quick: new WeakMap<Routes, FittingRing>(), full: new WeakMap<Routes, FittingRing>() } as const;

/**
 * The ring with the shortest routes in total; among equals one without long routes, since every step of a ring waits
 * for its longest. Along a line of routers every order that goes there and back has the same total, but the folded
 * order keeps neighbours within three places.
 */
export function fittingRing(routes: Routes, effort: Effort): FittingRing {
  const before = known[effort].get(routes);
  if (before !== undefined) return before;
  const found = find(routes, effort);
  known[effort].set(routes, found);
  return found;
}

function find(routes: Routes, effort: Effort): FittingRing {
  const shortest = minStretchRing(routes, effort);
  const { nodes, chips } = routes.topology;
  const own = Array.from({ length: ranksOf(routes.topology) }, (_, rank) => rank);
  const isBetter = shortest.after < shortest.before;
  if (nodes.length === chips.length) return { ...shortest, isBetter };
  const there = foldedRing(rowOf(own.length, (from, to) => routes.hops(from, to)));
  const first = there.indexOf(0);
  const order = [...there.slice(first), ...there.slice(0, first)];
  const edges = (ring: readonly number[]) => ring.map((rank, at) => routes.hops(rank, ring[(at + 1) % ring.length]));
  const after = edges(order).reduce((sum, length) => sum + length, 0) / order.length;
  const longest = (ring: readonly number[]) => edges(ring).reduce((most, length) => Math.max(most, length), 0);
  if (after > shortest.after || longest(order) >= longest(shortest.order)) return { ...shortest, isBetter };
  return { order, before: shortest.before, after, isBetter: isBetter || longest(order) < longest(own) };
}

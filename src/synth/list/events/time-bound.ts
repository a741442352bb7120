/** A lower bound on the time of any schedule over the arcs, so that a search ends when it meets the bound. */
import { NearestFirst } from '../../../graph/nearest-first.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import { Holdings } from '../holdings.ts';
import type { SpreadProblem } from '../problem.ts';
import type { RouteTable } from '../route-table.ts';
import { isWanted, type Spread, startOf } from '../spread.ts';

/**
 * The larger of two bounds, in seconds: everything that a rank lacks must come in over its bandwidth, and every item must reach the rank
 * that is farthest from it.
 */
export function spreadTimeLowerBound(spread: Spread, problem: Pick<SpreadProblem, 'routes' | 'size'>): Seconds {
  const ways = problem.routes();
  const itemBytes = problem.size / spread.origin.length;
  const incoming = Array.from(new Holdings(spread).lacking, (items, rank) =>
    items === 0 ? 0 : soonestInto(ways, rank) + (items * itemBytes) / bandwidthInto(ways, rank),
  );
  // All items of one origin have the same distances: one of them is enough.
  const items = new Map(Array.from(spread.origin, (rank, item) => [rank, item]));
  const outward = Array.from(items.values(), (item) => farthest(ways, spread, item, itemBytes));
  return Math.max(0, ...incoming, ...outward);
}

/** When an item that every rank forwards at once reaches the last rank that needs it, in seconds. */
function farthest(ways: RouteTable, spread: Spread, item: number, itemBytes: Bytes): Seconds {
  const { ranks, firstOut, to, latency, bandwidth } = ways;
  const search = new NearestFirst(ranks);
  for (const [rank, own] of startOf(spread)) if (own === item) search.reach(rank, 0);
  for (let rank = search.next(); rank >= 0; rank = search.next()) {
    for (let way = firstOut[rank]; way < firstOut[rank + 1]; way++) {
      search.reach(to[way], search.length[rank] + latency[way] + itemBytes / bandwidth[way]);
    }
  }
  const times = search.length.filter((_, rank) => isWanted(spread, rank, item));
  return times.reduce((most, seconds) => Math.max(most, seconds), 0);
}

/** Minimum latency of the arcs into a rank. */
function soonestInto({ firstInto, into, latency }: RouteTable, rank: number): Seconds {
  return into
    .subarray(firstInto[rank], firstInto[rank + 1])
    .reduce((least, way) => Math.min(least, latency[way]), Number.POSITIVE_INFINITY);
}

/**
 * Bandwidth into a rank in bytes per second: the smaller of the total bandwidth of the last links of its arcs, and the total of as many of
 * its fastest arcs as it has receive ports.
 */
export function bandwidthInto({ topology, firstInto, into, arcs, receivePorts }: RouteTable, rank: number) {
  const own = Array.from(into.subarray(firstInto[rank], firstInto[rank + 1]), (way) => arcs[way]);
  const sum = (widths: readonly number[]) => widths.reduce((total, width) => total + width, 0);
  const lastLinks = [...new Set(own.map(({ links }) => links[links.length - 1]))];
  const fastest = own.map(({ bandwidth }) => bandwidth).sort((a, b) => b - a);
  const overLinks = sum(lastLinks.map((link) => topology.links[link].bandwidth));
  return Math.min(overLinks, sum(fastest.slice(0, Math.min(receivePorts[rank], fastest.length))));
}

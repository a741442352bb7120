/** A time that no schedule over ways can beat, so that searches know when they are done. */
import { NearestFirst } from '../../../graph/nearest-first.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import { Holdings } from '../holdings.ts';
import type { SpreadProblem } from '../problem.ts';
import type { RouteTable } from '../route-table.ts';
import { isWanted, type Spread, startOf } from '../spread.ts';

/** What a rank lacks must come in at the bandwidth it has, and every item must get to the rank that is farthest from it. */
export function spreadTimeLowerBound(spread: Spread, problem: Pick<SpreadProblem, 'routes' | 'size'>): Seconds {
  const ways = problem.routes();
  const itemBytes = problem.size / spread.origin.length;
  const incoming = Array.from(new Holdings(spread).lacking, (items, rank) =>
    items === 0 ? 0 : soonestInto(ways, rank) + (items * itemBytes) / bandwidthInto(ways, rank),
  );
  // Items of one origin have the same way to go.
  const items = new Map(Array.from(spread.origin, (rank, item) => [rank, item]));
  const outward = Array.from(items.values(), (item) => farthest(ways, spread, item, itemBytes));
  return Math.max(0, ...incoming, ...outward);
}

/** When an item that is passed on at once gets to the last rank that wants it. */
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

/** The least latency of a rank's incoming ways. */
function soonestInto({ firstInto, into, latency }: RouteTable, rank: number): Seconds {
  return into
    .subarray(firstInto[rank], firstInto[rank + 1])
    .reduce((least, way) => Math.min(least, latency[way]), Number.POSITIVE_INFINITY);
}

/** The last links of its ways together; with fewer receive ports than ways, as many of the fastest ways as there are ports. */
export function bandwidthInto({ topology, firstInto, into, arcs, receivePorts }: RouteTable, rank: number) {
  const own = Array.from(into.subarray(firstInto[rank], firstInto[rank + 1]), (way) => arcs[way]);
  const sum = (widths: readonly number[]) => widths.reduce((total, width) => total + width, 0);
  const lastLinks = [...new Set(own.map(({ links }) => links[links.length - 1]))];
  const fastest = own.map(({ bandwidth }) => bandwidth).sort((a, b) => b - a);
  const overLinks = sum(lastLinks.map((link) => topology.links[link].bandwidth));
  return Math.min(overLinks, sum(fastest.slice(0, Math.min(receivePorts[rank], fastest.length))));
}

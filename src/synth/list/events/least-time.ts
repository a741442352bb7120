/** A time that no schedule over ways can beat, so that searches know when they are done. */
import { NearestFirst } from '../../../cost/nearest-first.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import { isWanted, type Spread, startOf } from '../spread.ts';
import type { Ways } from '../ways.ts';

/** What a rank lacks must come in at the bandwidth it has, and every item must get to the rank that is farthest from it. */
export function leastTime(ways: Ways, spread: Spread, itemBytes: Bytes): Seconds {
  const lacking = lackingAt(spread);
  const incoming = lacking.reduce((most, count, rank) => {
    const seconds = count === 0 ? 0 : soonestInto(ways, rank) + (count * itemBytes) / bandwidthInto(ways, rank);
    return Math.max(most, seconds);
  }, 0);
  return starts(spread).reduce((most, start) => Math.max(most, farthest(ways, spread, start, itemBytes)), incoming);
}

/** By rank: items that it wants and has not. */
function lackingAt(spread: Spread): Int32Array {
  const { ranks, origin, cells } = spread;
  const lacking = new Int32Array(ranks).fill(origin.length);
  if (cells !== undefined) {
    lacking.fill(0);
    for (let rank = 0; rank < ranks; rank++) {
      for (let item = 0; item < origin.length; item++) if (isWanted(spread, rank, item)) lacking[rank]++;
    }
  }
  for (const [rank] of startOf(spread)) lacking[rank]--;
  return lacking;
}

/** Items by the ranks that have them, one for each set of ranks. */
function starts({ origin, cells }: Spread): readonly Start[] {
  if (cells === undefined) return [...new Set(origin)].map((rank) => ({ ranks: [rank], within: undefined }));
  return Array.from(origin, (rank, item) => ({
    ranks: [...cells.item.keys()].filter((other) => cells.item[other] === item),
    within: cells.within[rank],
  }));
}

/** The least latency of a rank's incoming ways. */
function soonestInto({ firstInto, into, latency }: Ways, rank: number): Seconds {
  return into
    .subarray(firstInto[rank], firstInto[rank + 1])
    .reduce((least, way) => Math.min(least, latency[way]), Number.POSITIVE_INFINITY);
}

/** The last links of its ways together; with fewer receive ports than ways, as many of the fastest ways as there are ports. */
export function bandwidthInto(
  { topology, firstInto, into, firstLink, link, bandwidth, receivePorts }: Ways,
  rank: number,
) {
  const own = into.subarray(firstInto[rank], firstInto[rank + 1]);
  const lastLinks = new Set(Array.from(own, (way) => link[firstLink[way + 1] - 1]));
  const overLinks = [...lastLinks].reduce((sum, last) => sum + topology.links[last].bandwidth, 0);
  const fastest = Float64Array.from(own, (way) => bandwidth[way])
    .sort()
    .reverse();
  const throughPorts = fastest.slice(0, Math.min(receivePorts[rank], fastest.length)).reduce((sum, b) => sum + b, 0);
  return Math.min(overLinks, throughPorts);
}

/** Ranks that have an item, and those that want it; all of them where that is undefined. */
interface Start {
  readonly ranks: readonly number[];
  readonly within: number | undefined;
}

/** When an item that is passed on at once gets to the last rank that wants it. */
function farthest(ways: Ways, { cells }: Spread, { ranks, within }: Start, itemBytes: Bytes): Seconds {
  const search = new NearestFirst(ways.ranks);
  for (const rank of ranks) search.reach(rank, 0);
  for (let rank = search.next(); rank >= 0; rank = search.next()) {
    for (let way = ways.firstOut[rank]; way < ways.firstOut[rank + 1]; way++) {
      search.reach(ways.to[way], search.length[rank] + ways.latency[way] + itemBytes / ways.bandwidth[way]);
    }
  }
  return search.length.reduce((most, seconds, rank) => {
    return within === undefined || cells?.within[rank] === within ? Math.max(most, seconds) : most;
  }, 0);
}

/** A time that no schedule over ways can beat, so that searches know when they are done. */
import { KeyedHeap } from '../../../cost/keyed-heap.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import type { Spread } from '../spread.ts';
import type { Ways } from '../ways.ts';

/** What a rank lacks must come in at the bandwidth it has, and every item must get to the rank that is farthest from it. */
export function leastTime(ways: Ways, { ranks, origin }: Spread, itemBytes: Bytes): Seconds {
  const lacking = new Int32Array(ranks).fill(origin.length);
  for (const rank of origin) lacking[rank]--;
  const incoming = lacking.reduce((most, count, rank) => {
    const seconds = count === 0 ? 0 : soonestInto(ways, rank) + (count * itemBytes) / bandwidthInto(ways, rank);
    return Math.max(most, seconds);
  }, 0);
  return [...new Set(origin)].reduce((most, source) => Math.max(most, farthest(ways, source, itemBytes)), incoming);
}

/** The least latency of a rank's incoming ways. */
function soonestInto({ firstInto, into, latency }: Ways, rank: number): Seconds {
  return into
    .subarray(firstInto[rank], firstInto[rank + 1])
    .reduce((least, way) => Math.min(least, latency[way]), Number.POSITIVE_INFINITY);
}

/** The last links of its ways together; with fewer receive ports than ways, as many of the fastest ways as there are ports. */
function bandwidthInto({ topology, firstInto, into, firstLink, link, bandwidth, receivePorts }: Ways, rank: number) {
  const own = into.subarray(firstInto[rank], firstInto[rank + 1]);
  const lastLinks = new Set(Array.from(own, (way) => link[firstLink[way + 1] - 1]));
  const overLinks = [...lastLinks].reduce((sum, last) => sum + topology.links[last].bandwidth, 0);
  const fastest = Float64Array.from(own, (way) => bandwidth[way])
    .sort()
    .reverse();
  const throughPorts = fastest.slice(0, Math.min(receivePorts[rank], fastest.length)).reduce((sum, b) => sum + b, 0);
  return Math.min(overLinks, throughPorts);
}

/** When an item that is passed on at once gets to the last rank (Dijkstra 1959). */
function farthest(ways: Ways, source: number, itemBytes: Bytes): Seconds {
  const at = new Float64Array(ways.ranks).fill(Number.POSITIVE_INFINITY);
  const queue = new KeyedHeap(ways.ranks);
  at[source] = 0;
  queue.push(0, source);
  while (queue.length > 0) {
    const known = queue.leastKey;
    const rank = queue.pop();
    if (known > at[rank]) continue;
    for (let way = ways.firstOut[rank]; way < ways.firstOut[rank + 1]; way++) {
      const arrival = known + ways.latency[way] + itemBytes / ways.bandwidth[way];
      if (arrival >= at[ways.to[way]]) continue;
      at[ways.to[way]] = arrival;
      queue.push(arrival, ways.to[way]);
    }
  }
  return at.reduce((most, seconds) => Math.max(most, seconds), 0);
}

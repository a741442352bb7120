/** What a schedule takes at least, from its messages alone: seen before anything is lowered, proved or simulated. */
import { messageChunks } from '../ir/collective.ts';
import type { Routes } from '../ir/routes.ts';
import type { Schedule } from '../ir/schedule.ts';
import type { Bytes, Seconds } from '../ir/units.ts';

/**
 * The time for which the busiest link or chip is held by messages, and by reductions where these keep a chip from sending and
 * receiving: no plan made of the schedule is faster, in however many bulks. 0 where shards have sizes of their own.
 */
export function leastTime({ steps, collective }: Schedule, routes: Routes, size: Bytes): Seconds {
  if (collective.counts !== undefined) return 0;
  const { links, nodes, chips } = routes.topology;
  const chunkBytes = size / messageChunks(collective);
  const linkHeld = new Float64Array(links.length);
  // What links are held by messages of the chips at their ends, which are silent while they reduce.
  const heldBySender = new Float64Array(links.length);
  const heldByReceiver = new Float64Array(links.length);
  const silent = new Float64Array(nodes.length);
  const sending = new Float64Array(nodes.length);
  const receiving = new Float64Array(nodes.length);
  for (let t = 0; t < steps.transferCount; t++) {
    const [from, to] = [steps.source[t], steps.destination[t]];
    let chunks = 0;
    for (let p = steps.pieceStart[t]; p < steps.pieceStart[t + 1]; p++) chunks += steps.count[p];
    const bytes = chunks * chunkBytes;
    const { reduce } = nodes[chips[to]];
    if (steps.isReduce(t) && reduce?.overlap === false) silent[chips[to]] += bytes / reduce.throughput;
    if (from === to) continue;
    const route = routes.between(from, to, steps.channel[t]);
    if (route === undefined) continue;
    const duration = route.latency + bytes / route.bandwidth;
    for (const [hop, link] of route.links.entries()) {
      const held = links[link].occupancy === 'blocking' ? duration : bytes / links[link].bandwidth;
      linkHeld[link] += held;
      if (hop === 0) heldBySender[link] += held;
      if (hop === route.links.length - 1) heldByReceiver[link] += held;
    }
    sending[chips[from]] += duration;
    receiving[chips[to]] += duration;
  }
  let most = 0;
  for (const [link, { from, to }] of links.entries()) {
    most = Math.max(most, linkHeld[link], heldBySender[link] + silent[from], heldByReceiver[link] + silent[to]);
  }
  for (const chip of chips) {
    const { ports } = nodes[chip];
    const talking = Math.max(sending[chip] / ports.send, receiving[chip] / ports.receive);
    most = Math.max(most, talking + silent[chip]);
  }
  return most;
}

/** What a schedule takes at least, from its messages alone: seen before anything is lowered, proved or simulated. */
import { messageChunks } from '../ir/collective.ts';
import type { Routes } from '../ir/routes.ts';
import type { Schedule } from '../ir/schedule.ts';
import type { Bytes, Seconds } from '../ir/units.ts';

/**
 * The time for which the busiest link or chip is held by messages: no plan made of the schedule is faster, in however many
 * bulks. 0 where shards have sizes of their own.
 */
export function leastTime({ steps, collective }: Schedule, routes: Routes, size: Bytes): Seconds {
  if (collective.counts !== undefined) return 0;
  const { links, nodes, chips } = routes.topology;
  const chunkBytes = size / messageChunks(collective);
  const linkHeld = new Float64Array(links.length);
  const sending = new Float64Array(nodes.length);
  const receiving = new Float64Array(nodes.length);
  for (let t = 0; t < steps.transferCount; t++) {
    const [from, to] = [steps.source[t], steps.destination[t]];
    if (from === to) continue;
    const route = routes.between(from, to, steps.channel[t]);
    if (route === undefined) continue;
    let chunks = 0;
    for (let p = steps.pieceStart[t]; p < steps.pieceStart[t + 1]; p++) chunks += steps.count[p];
    const bytes = chunks * chunkBytes;
    const duration = route.latency + bytes / route.bandwidth;
    for (const link of route.links) {
      linkHeld[link] += links[link].occupancy === 'blocking' ? duration : bytes / links[link].bandwidth;
    }
    sending[chips[from]] += duration;
    receiving[chips[to]] += duration;
  }
  let most = linkHeld.reduce((a, b) => Math.max(a, b), 0);
  for (const chip of chips) {
    const { ports } = nodes[chip];
    most = Math.max(most, sending[chip] / ports.send, receiving[chip] / ports.receive);
  }
  return most;
}

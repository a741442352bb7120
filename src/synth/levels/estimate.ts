/** What a level costs, roughly: enough to choose among algorithms, which are then composed, proved and simulated like anything else. */
import { messageChunks } from '../../ir/collective.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Schedule } from '../../ir/schedule.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';

export interface Estimate {
  /** Step after step, each as long as its busiest link or port until the last message over it has arrived. */
  readonly seconds: Seconds;
  /** How long its bytes keep the busiest link or port: what counts when many bulks follow each other closely. */
  readonly busiest: Seconds;
}

/** Reductions are left out: all algorithms for a level have much the same ones. */
export function estimate({ steps, collective }: Schedule, routes: Routes, size: Bytes): Estimate {
  const { nodes, links, chips } = routes.topology;
  const chunkBytes = size / messageChunks(collective);
  // Of links, then of the ranks' ports to send, then to receive: what their bytes take in all, what a step takes, and what its last message has before it then.
  const bytesTime = new Float64Array(links.length + 2 * chips.length);
  const stepTime = new Float64Array(bytesTime.length);
  const way = new Float64Array(bytesTime.length);
  const hold = (resource: number, bytesFor: Seconds, heldFor: Seconds, latency: Seconds): void => {
    bytesTime[resource] += bytesFor;
    stepTime[resource] += heldFor;
    way[resource] = Math.max(way[resource], latency);
  };
  let seconds = 0;
  for (let step = 0; step < steps.stepCount; step++) {
    stepTime.fill(0);
    way.fill(0);
    let longest = 0;
    for (let t = steps.stepStart[step]; t < steps.stepStart[step + 1]; t++) {
      const [from, to] = [steps.source[t], steps.destination[t]];
      const route = from === to ? undefined : routes.between(from, to, steps.channel[t]);
      if (route === undefined) continue;
      let bytes = 0;
      for (let p = steps.pieceStart[t]; p < steps.pieceStart[t + 1]; p++) bytes += steps.count[p] * chunkBytes;
      const bytesFor = bytes / route.bandwidth;
      const duration = route.latency + bytesFor;
      longest = Math.max(longest, duration);
      for (const link of route.links) {
        const onLink = bytes / links[link].bandwidth;
        if (links[link].occupancy === 'blocking') hold(link, onLink, duration, 0);
        else hold(link, onLink, onLink, route.latency);
      }
      const [send, receive] = [nodes[chips[from]].ports.send, nodes[chips[to]].ports.receive];
      hold(links.length + from, bytesFor / send, duration / send, 0);
      hold(links.length + chips.length + to, bytesFor / receive, duration / receive, 0);
    }
    seconds += stepTime.reduce((most, time, resource) => Math.max(most, time + way[resource]), longest);
  }
  return { seconds, busiest: bytesTime.reduce((most, time) => Math.max(most, time), 0) };
}

/**
 * A rough estimate of a level's cost, good enough to choose among algorithms; the composition is then proved and
 * simulated like any other schedule.
 */
import { messageChunks } from '../../ir/collective.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Schedule } from '../../ir/schedule.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';

export interface Estimate {
  /** Sum over the steps of the time until the last message over the busiest link or port has arrived. */
  readonly seconds: Seconds;
  /** How long the bytes occupy the busiest link or port in total, which limits the throughput of many bulks. */
  readonly busiest: Seconds;
}

/** Estimates a schedule, without reductions: all algorithms for a level have much the same ones. */
export function estimate({ steps, collective }: Schedule, routes: Routes, size: Bytes): Estimate {
  const { nodes, links, chips } = routes.topology;
  const chunkBytes = size / messageChunks(collective);
  // By resource (links, then sending ports, then receiving ports): total time of its bytes, time of the current step,
  // and the latency before the step's last message.
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

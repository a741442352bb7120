/**
 * What a level costs, roughly: enough to choose among the algorithms for it, which are then composed, proved and simulated
 * like anything else. Steps are taken to wait for each other; reductions are left out, since all algorithms for
 * a level have much the same ones.
 */
import type { Routes } from '../../ir/routes.ts';
import type { Schedule } from '../../ir/schedule.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';

export interface Estimate {
  /** Step after step, each as long as its busiest link or port until the last message over it has arrived. */
  readonly seconds: Seconds;
  /** How long its bytes keep the busiest link or port: what counts when many bulks follow each other closely. */
  readonly busiest: Seconds;
}

/**
 * The same schedule among several sets of ranks at once.
 *
 * @param communicators `communicators[c][r]` is the rank that plays rank r in the c-th
 * @param bytesOf bytes of a number of the schedule's chunks, from a place in its buffers on
 */
export function estimate(
  { steps }: Schedule,
  communicators: readonly (readonly number[])[],
  routes: Routes,
  bytesOf: (offset: number, chunks: number) => Bytes,
): Estimate {
  const { nodes, links, chips } = routes.topology;
  // Resources: links, then the send ports of the ranks, then their receive ports.
  const sendPort = links.length;
  const receivePort = sendPort + chips.length;
  const bytesTime = new Float64Array(receivePort + chips.length);
  const stepTime = new Float64Array(bytesTime.length);
  // What the last message over a link still has before it when the link is free again.
  const way = new Float64Array(bytesTime.length);
  let seconds = 0;
  for (let step = 0; step < steps.stepCount; step++) {
    stepTime.fill(0);
    way.fill(0);
    let longest = 0;
    for (let t = steps.stepStart[step]; t < steps.stepStart[step + 1]; t++) {
      if (steps.source[t] === steps.destination[t]) continue;
      let bytes = 0;
      for (let p = steps.pieceStart[t]; p < steps.pieceStart[t + 1]; p++) {
        bytes += bytesOf(steps.fromOffset[p], steps.count[p]);
      }
      for (const members of communicators) {
        const [from, to] = [members[steps.source[t]], members[steps.destination[t]]];
        const route = routes.between(from, to, steps.channel[t]);
        if (route === undefined) continue;
        const duration = route.latency + bytes / route.bandwidth;
        longest = Math.max(longest, duration);
        for (const link of route.links) {
          const { bandwidth, occupancy } = links[link];
          bytesTime[link] += bytes / bandwidth;
          stepTime[link] += occupancy === 'blocking' ? duration : bytes / bandwidth;
          if (occupancy === 'pipelined') way[link] = Math.max(way[link], route.latency);
        }
        const ports = { send: nodes[chips[from]].ports.send, receive: nodes[chips[to]].ports.receive };
        bytesTime[sendPort + from] += bytes / route.bandwidth / ports.send;
        stepTime[sendPort + from] += duration / ports.send;
        bytesTime[receivePort + to] += bytes / route.bandwidth / ports.receive;
        stepTime[receivePort + to] += duration / ports.receive;
      }
    }
    seconds += stepTime.reduce((most, time, resource) => Math.max(most, time + way[resource]), longest);
  }
  return { seconds, busiest: bytesTime.reduce((most, time) => Math.max(most, time), 0) };
}

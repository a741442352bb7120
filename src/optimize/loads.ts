/** How long the bytes of a schedule occupy links and ports in total, computed without lowering or simulating. */
import { messageChunks } from '../ir/collective.ts';
import type { Routes } from '../ir/routes.ts';
import type { Schedule } from '../ir/schedule.ts';

/** What one rank sends another on one channel, as a share of the message. */
export interface PairDemand {
  readonly source: number;
  readonly destination: number;
  readonly channel: number;
  readonly share: number;
}

export function pairDemandsOf({ steps, collective }: Schedule): readonly PairDemand[] {
  const whole = messageChunks(collective);
  const chunksBy = new Map<string, { source: number; destination: number; channel: number; chunks: number }>();
  for (let t = 0; t < steps.transferCount; t++) {
    const [source, destination, channel] = [steps.source[t], steps.destination[t], steps.channel[t]];
    if (source === destination) continue;
    const key = `${source} ${destination} ${channel}`;
    const demand = chunksBy.get(key) ?? { source, destination, channel, chunks: 0 };
    for (let p = steps.pieceStart[t]; p < steps.pieceStart[t + 1]; p++) demand.chunks += steps.count[p];
    chunksBy.set(key, demand);
  }
  return [...chunksBy.values()].map(({ chunks, ...ends }) => ({ ...ends, share: chunks / whole }));
}

/**
 * One entry per link, then the sending port and the receiving port of each rank; in seconds per byte of the message.
 */
export type ResourceLoads = Float64Array;

export function noLoads({ topology }: Routes): ResourceLoads {
  return new Float64Array(topology.links.length + 2 * topology.chips.length);
}

/** Adds the load of `demands` when rank r's role is played by `order[r]`, on channels from `firstChannel` on. */
export function addLoads(
  loads: ResourceLoads,
  demands: readonly PairDemand[],
  routes: Routes,
  order: readonly number[],
  firstChannel = 0,
): void {
  const { links, nodes, chips } = routes.topology;
  for (const { source, destination, channel, share } of demands) {
    const [from, to] = [order[source], order[destination]];
    const route = routes.between(from, to, channel + firstChannel);
    if (route === undefined) continue;
    for (const link of route.links) loads[link] += share / links[link].bandwidth;
    loads[links.length + 2 * from] += share / route.bandwidth / nodes[chips[from]].ports.send;
    loads[links.length + 2 * to + 1] += share / route.bandwidth / nodes[chips[to]].ports.receive;
  }
}

/** The load of the busiest link or port. */
export function greatest(loads: ResourceLoads): number {
  return loads.reduce((most, load) => Math.max(most, load), 0);
}

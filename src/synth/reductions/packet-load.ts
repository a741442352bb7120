/** What a packet of a reduction up packed trees takes: one message over every edge of every tree, then what has come is reduced. */
import { type Effort, partOfWork } from '../../ir/effort.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { directArcs } from '../arcs.ts';
import type { Tree } from '../trees/pack.ts';

/** Trees that share the message evenly, each as far as its `amount`, with edges from the root to the leaves. */
export interface PacketLoad {
  /** Steps from the first send of a leaf until the root has it, or until all have the result. */
  readonly height: number;
  /** Latency of a step's messages. */
  readonly latency: Seconds;
  /** Seconds for each byte of the message: the slowest link, and with it the chip that reduces longest. */
  readonly linkTime: number;
  readonly perByte: number;
}

/**
 * The load of trees whose edges, turned round, are single links of a machine; undefined where some are not.
 * @param trees of one root, on the machine with its links turned round
 * @param isTwoWay results go down the same trees
 */
export function packetLoad(trees: readonly Tree[], routes: Routes, isTwoWay = false): PacketLoad | undefined {
  const { nodes, chips } = routes.topology;
  const whole = trees.reduce((sum, { amount }) => sum + amount, 0);
  const carried = new Map<string, number>();
  const reduced = new Float64Array(chips.length);
  let height = 0;
  for (const { amount, edges } of trees) {
    for (const { from, to, depth } of edges) {
      height = Math.max(height, depth);
      for (const ends of isTwoWay ? [`${to} ${from}`, `${from} ${to}`] : [`${to} ${from}`]) {
        carried.set(ends, (carried.get(ends) ?? 0) + amount / whole);
      }
      reduced[from] += amount / whole;
    }
  }
  const links = new Map(directArcs(routes).map((arc) => [`${arc.from} ${arc.to}`, arc]));
  let [latency, linkTime] = [0, 0];
  for (const [ends, part] of carried) {
    const link = links.get(ends);
    if (link === undefined) return undefined;
    latency = Math.max(latency, link.latency);
    linkTime = Math.max(linkTime, part / link.bandwidth);
  }
  const reduceTime = reduced.reduce((most, part, rank) => {
    const { reduce } = nodes[chips[rank]];
    return reduce === undefined ? most : Math.max(most, part / reduce.throughput);
  }, 0);
  return { height: isTwoWay ? 2 * height : height, latency, linkTime, perByte: linkTime + reduceTime };
}

/** Messages of a schedule that is made, proved and simulated in a moment; with handshakes, which are as many again, half as many. */
const mostMessages = 60_000;

/** How many packets there may be of so many messages each. */
export function mostPackets(messages: number, effort: Effort): number {
  return Math.max(1, Math.floor((mostMessages * partOfWork[effort]) / messages));
}

/** The number of packets that takes least: k = √((h − 1)·c·M / α). */
export function bestPackets({ height, latency, perByte }: PacketLoad, size: Bytes, most: number): number {
  if (latency === 0) return most;
  const ideal = Math.sqrt(((height - 1) * perByte * size) / latency);
  return Math.max(1, Math.min(most, Math.round(ideal)));
}

/**
 * Slots: where a chip's links block, or its ports are fewer, each of them carries one message at a time, for α + n/β at least. Such
 * a slot is busy with its own messages only, so bytes and latencies of messages add up; bounds that add them need slots on every chip.
 */
import type { BytesPerSecond, Seconds } from '../../ir/units.ts';
import type { MachineFacts } from './machine-facts.ts';

export type Direction = 'out' | 'in';

/** What holds for every chip of a machine, in one direction. */
export interface Slots {
  /** The most that the slots of one chip carry together. */
  readonly together: BytesPerSecond;
  /** The least of one slot. */
  readonly slowest: BytesPerSecond;
  /** Least Σα of any message. */
  readonly latency: Seconds;
}

/** Undefined where some chip can have messages under way without limit, or none. */
export function slotsOf(facts: MachineFacts, direction: Direction): Slots | undefined {
  const { nodes, links, chips } = facts.topology;
  const bandwidths: BytesPerSecond[][] = nodes.map(() => []);
  const blocking = new Uint8Array(nodes.length).fill(1);
  for (const link of links) {
    const node = direction === 'out' ? link.from : link.to;
    bandwidths[node].push(link.bandwidth);
    if (link.occupancy === 'pipelined') blocking[node] = 0;
  }
  let together = 0;
  let slowest = Number.POSITIVE_INFINITY;
  for (const chip of chips) {
    const ports = direction === 'out' ? nodes[chip].ports.send : nodes[chip].ports.receive;
    const byLinks = blocking[chip] === 1 && bandwidths[chip].length <= ports;
    if (!byLinks && !Number.isFinite(ports)) return undefined;
    const fastest = Math.max(0, ...bandwidths[chip]);
    const slots = byLinks ? bandwidths[chip] : new Array<BytesPerSecond>(ports).fill(fastest);
    together = Math.max(
      together,
      slots.reduce((sum, slot) => sum + slot, 0),
    );
    slowest = Math.min(slowest, ...slots);
  }
  const latency = facts.latencies.betweenAnyTwo();
  return together > 0 && slowest > 0 && Number.isFinite(latency) ? { together, slowest, latency } : undefined;
}

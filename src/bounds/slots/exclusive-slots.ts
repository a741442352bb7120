/**
 * Slots: if a chip's links are blocking, or it has fewer ports than links, each link or port carries one message at a
 * time, for at least α + n/β. The latencies and bytes of the messages of one slot therefore add up. Bounds that use
 * this need slots on every chip.
 */
import type { Direction } from '../../ir/certificate.ts';
import type { Link, Topology } from '../../ir/topology.ts';
import type { BytesPerSecond, Seconds } from '../../ir/units.ts';
import { type MachineFacts, once } from '../machine-facts.ts';

/** Capabilities of the slots of one chip, or an upper limit that holds for any chip. */
export interface Slots {
  /** Maximum number of slots per chip. */
  readonly count: number;
  /** Maximum total bandwidth of the slots of one chip. */
  readonly together: BytesPerSecond;
  /** Maximum and minimum bandwidth of one slot. */
  readonly fastest: BytesPerSecond;
  readonly slowest: BytesPerSecond;
  /** Minimum Σα of a message in a slot. */
  readonly latency: Seconds;
}

/** The slots of one rank; undefined if it has none, or can have any number of messages under way. */
export function slotsOfRank(facts: MachineFacts, rank: number, direction: Direction): Slots | undefined {
  const { nodes, chips } = facts.topology;
  const chip = chips[rank];
  const ports = direction === 'out' ? nodes[chip].ports.send : nodes[chip].ports.receive;
  const own = once(facts, `links ${direction}`, () => linksByNode(facts.topology, direction))[chip];
  const byLinks = own.length <= ports && own.every((link) => link.occupancy === 'blocking');
  if (!byLinks && !Number.isFinite(ports)) return undefined;
  const fastest = own.reduce((greatest, link) => Math.max(greatest, link.bandwidth), 0);
  const slots = byLinks ? own.map((link) => link.bandwidth) : new Array<BytesPerSecond>(ports).fill(fastest);
  const together = slots.reduce((sum, slot) => sum + slot, 0);
  const slowest = slots.reduce((least, slot) => Math.min(least, slot), Number.POSITIVE_INFINITY);
  const latency = direction === 'out' ? facts.nearestFrom[rank] : facts.nearestOther[rank];
  return together > 0 && slowest > 0 && Number.isFinite(latency)
    ? { count: slots.length, together, fastest: Math.max(...slots), slowest, latency }
    : undefined;
}

/** The links that leave (`out`) or enter (`in`) each node. */
function linksByNode({ nodes, links }: Topology, direction: Direction): readonly (readonly Link[])[] {
  const byNode: Link[][] = nodes.map(() => []);
  for (const link of links) byNode[direction === 'out' ? link.from : link.to].push(link);
  return byNode;
}

/** Limits that the slots of no chip exceed; undefined if some chip has no slots. */
export function slotsOf(facts: MachineFacts, direction: Direction): Slots | undefined {
  return once(facts, `slots ${direction}`, () => {
    const all = facts.topology.chips.map((_, rank) => slotsOfRank(facts, rank, direction));
    return all.reduce((worst, slots) => {
      if (worst === undefined || slots === undefined) return undefined;
      return {
        count: Math.max(worst.count, slots.count),
        together: Math.max(worst.together, slots.together),
        fastest: Math.max(worst.fastest, slots.fastest),
        slowest: Math.min(worst.slowest, slots.slowest),
        latency: Math.min(worst.latency, slots.latency),
      };
    });
  });
}

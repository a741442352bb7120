/** Sets of chips that the root of a broadcast has to serve over relays (relay.ts), and what is to be known of them. */
import { ranksOf, type Topology } from '../../../ir/topology.ts';
import type { BytesPerSecond, Seconds } from '../../../ir/units.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { type Slots, slotsOfRank } from './exclusive-slots.ts';

/** Distances and bandwidths that sets of chips are made from. */
const mostThresholds = 12;

/** A link into a chip. */
export interface Entrance {
  readonly bandwidth: BytesPerSecond;
  /** Σα before which nothing of the root has come over it. */
  readonly latency: Seconds;
}

/** What the proof needs to know of the root and a set of chips: of the set, what is worst for the bound. */
export interface Relay {
  readonly chips: readonly number[];
  readonly sending: Slots;
  /** B'. */
  readonly receives: BytesPerSecond;
  /** a'. */
  readonly lastLatency: Seconds;
  /** δ. */
  readonly between: Seconds;
  /** σ. */
  readonly shortcut: Seconds;
  /** Of each chip next to the root its incoming links; undefined if one of the chips is next to it. */
  readonly passing: readonly (readonly Entrance[])[] | undefined;
}

/** Sets by the distance and bandwidth of their chips. */
export function relaysFrom(facts: MachineFacts, root: number): Relay[] {
  const { topology } = facts;
  const sending = slotsOfRank(facts, root, 'out');
  if (sending === undefined) return [];
  const distance = facts.latencies.from(topology.chips[root]);
  const neighbours = chipsNextTo(topology, topology.chips[root]);
  const passing = entrances(facts, distance, neighbours);
  const receivers = Array.from({ length: ranksOf(topology) }, (_, rank) => rank).flatMap((rank) => {
    const slots = rank === root ? undefined : slotsOfRank(facts, rank, 'in');
    return slots === undefined ? [] : [{ rank, slots, distance: distance[topology.chips[rank]] }];
  });
  const relays: Relay[] = [];
  for (const together of thresholds(receivers.map(({ slots }) => slots.together))) {
    for (const least of thresholds(receivers.map((receiver) => receiver.distance))) {
      const chosen = receivers.filter((r) => r.slots.together <= together && r.distance >= least);
      if (chosen.length === 0) continue;
      const lastLatency = Math.min(...chosen.map(({ slots }) => slots.latency));
      const nearest = Math.min(...chosen.map((receiver) => receiver.distance));
      const apart = nearest - sending.latency - lastLatency;
      relays.push({
        chips: chosen.map(({ rank }) => rank),
        sending,
        receives: Math.max(...chosen.map(({ slots }) => slots.together)),
        lastLatency,
        between: Math.max(0, apart),
        shortcut: Math.max(0, -apart),
        passing: chosen.some(({ rank }) => neighbours.has(topology.chips[rank])) ? undefined : passing,
      });
    }
  }
  return relays;
}

/** Chips that a message from this one reaches first, over links and switches. */
function chipsNextTo({ nodes, links, chips }: Topology, chip: number): Set<number> {
  const isChip = new Set(chips);
  const outgoing: number[][] = nodes.map(() => []);
  for (const { from, to } of links) outgoing[from].push(to);
  const reached = new Set([chip]);
  for (const node of reached) {
    if (node !== chip && isChip.has(node)) continue;
    for (const next of outgoing[node]) reached.add(next);
  }
  return new Set([...reached].filter((node) => node !== chip && isChip.has(node)));
}

/** @param distance by node, least Σα from the root */
function entrances(facts: MachineFacts, distance: Float64Array, chips: ReadonlySet<number>): Entrance[][] {
  const entering = new Map<number, Entrance[]>([...chips].map((chip) => [chip, []]));
  for (const { from, to, bandwidth, latency, occupancy } of facts.topology.links) {
    const before = occupancy === 'blocking' ? distance[from] : facts.nearestRank[from];
    entering.get(to)?.push({ bandwidth, latency: before + latency });
  }
  return [...entering.values()];
}

/** Different values, evenly thinned out. */
function thresholds(values: readonly number[]): number[] {
  const different = [...new Set(values)].sort((a, b) => a - b);
  const stride = Math.ceil(different.length / mostThresholds);
  return different.filter((_, index) => index % stride === 0 || index === different.length - 1);
}

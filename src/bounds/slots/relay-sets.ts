/**
 * Sets of chips that the root of a broadcast must serve through relays (relay.ts), and the parameters of the proof for
 * each.
 */
import { DisjointSets } from '../../ir/disjoint-sets.ts';
import { ranksOf, type Topology } from '../../ir/topology.ts';
import type { BytesPerSecond, Seconds } from '../../ir/units.ts';
import { searched } from '../limits.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { type Slots, slotsOfRank } from './exclusive-slots.ts';

/** A link into a chip. */
export interface Entrance {
  readonly bandwidth: BytesPerSecond;
  /** The earliest time (Σα) at which data of the root can have arrived over it. */
  readonly latency: Seconds;
}

/**
 * The parameters of the proof for the root and one set of chips; for the set, the values that are worst for the bound.
 */
export interface Relay {
  readonly chips: readonly number[];
  readonly sending: Slots;
  /** B′: the greatest receiving bandwidth. */
  readonly receives: BytesPerSecond;
  /** a′: the least Σα of a message into the set. */
  readonly lastLatency: Seconds;
  /** The slowest slot of all the chips. */
  readonly lastSlowest: BytesPerSecond;
  /** δ = max(0, λ − a − a′): the part of the least Σα λ from the root to the set that a and a′ do not cover. */
  readonly between: Seconds;
  /** σ = max(0, a + a′ − λ): by how much a and a′ together exceed λ. */
  readonly shortcut: Seconds;
  /** Σ over the chips of the least Σα from the root. */
  readonly distances: Seconds;
  /**
   * For each chip of the set that neighbours the root, its incoming links; undefined if a chip of the set neighbours
   * the root.
   */
  readonly passing: readonly (readonly Entrance[])[] | undefined;
}

/**
 * Candidate sets by distance and bandwidth of their chips, within each part of the machine that only the root connects
 * with the rest.
 */
export function relaysFrom(facts: MachineFacts, root: number): Relay[] {
  const { topology } = facts;
  const chip = topology.chips[root];
  const distance = facts.latencies.from(chip);
  const nextToRoot = chipsNextTo(topology, chip);
  const parts = partsWithout(topology, chip);
  return parts.flatMap((part) => {
    const some = parts.length === 1 ? undefined : slotsInto(part, facts, chip);
    const sending = some ?? slotsOfRank(facts, root, 'out');
    if (sending === undefined) return [];
    const neighbours = new Set([...nextToRoot].filter((next) => part.has(next)));
    const passing = entrances(facts, distance, neighbours);
    const receivers = Array.from({ length: ranksOf(topology) }, (_, rank) => rank).flatMap((rank) => {
      const slots = part.has(topology.chips[rank]) ? slotsOfRank(facts, rank, 'in') : undefined;
      return slots === undefined ? [] : [{ rank, slots, distance: distance[topology.chips[rank]] }];
    });
    return setsOf(receivers).map((chosen): Relay => {
      const lastLatency = Math.min(...chosen.map(({ slots }) => slots.latency));
      const nearest = Math.min(...chosen.map((receiver) => receiver.distance));
      const apart = nearest - sending.latency - lastLatency;
      return {
        chips: chosen.map(({ rank }) => rank),
        sending,
        receives: Math.max(...chosen.map(({ slots }) => slots.together)),
        lastLatency,
        lastSlowest: Math.min(...chosen.map(({ slots }) => slots.slowest)),
        between: Math.max(0, apart),
        shortcut: Math.max(0, -apart),
        distances: chosen.reduce((sum, receiver) => sum + receiver.distance, 0),
        passing: chosen.some(({ rank }) => neighbours.has(topology.chips[rank])) ? undefined : passing,
      };
    });
  });
}

interface Receiver {
  readonly rank: number;
  readonly slots: Slots;
  readonly distance: Seconds;
}

/** Chips that are far enough and receive slowly enough, for thresholds of both. */
function setsOf(receivers: readonly Receiver[]): Receiver[][] {
  const bandwidths = thresholds(receivers.map(({ slots }) => slots.together));
  const distances = thresholds(receivers.map(({ distance }) => distance));
  const sets = bandwidths.flatMap((most) =>
    distances.map((least) => receivers.filter((r) => r.slots.together <= most && r.distance >= least)),
  );
  return sets.filter((chosen) => chosen.length > 0);
}

/** The connected components of a machine without one of its nodes. */
function partsWithout({ nodes, links }: Topology, left: number): Set<number>[] {
  const joined = new DisjointSets(nodes.length);
  for (const { from, to } of links) if (from !== left && to !== left) joined.join(from, to);
  const parts = new Map<number, Set<number>>();
  for (let node = 0; node < nodes.length; node++) {
    if (node === left) continue;
    const key = joined.of(node);
    parts.set(key, (parts.get(key) ?? new Set()).add(node));
  }
  return [...parts.values()];
}

/**
 * The links from the root into a part, if all of them are blocking: every message into the part occupies one of them.
 */
function slotsInto(part: ReadonlySet<number>, { topology, latencies }: MachineFacts, chip: number): Slots | undefined {
  const links = topology.links.filter(({ from, to }) => from === chip && part.has(to));
  if (links.length === 0 || links.some(({ occupancy }) => occupancy !== 'blocking')) return undefined;
  const bandwidths = links.map(({ bandwidth }) => bandwidth);
  const distance = latencies.from(chip);
  return {
    count: bandwidths.length,
    together: bandwidths.reduce((sum, bandwidth) => sum + bandwidth, 0),
    fastest: Math.max(...bandwidths),
    slowest: Math.min(...bandwidths),
    latency: Math.min(...topology.chips.filter((other) => part.has(other)).map((other) => distance[other])),
  };
}

/** Chips that a message of this chip reaches first, over links and switches. */
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

/** Different values, sampled evenly. */
function thresholds(values: readonly number[]): number[] {
  const different = [...new Set(values)].sort((a, b) => a - b);
  const stride = Math.ceil(different.length / searched.thresholds);
  return different.filter((_, index) => index % stride === 0 || index === different.length - 1);
}

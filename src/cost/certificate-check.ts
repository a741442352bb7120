/**
 * Checks certificates of lower bounds from the topology and the collective's post-condition alone. It shares nothing with the search
 * that found them and prefers the plainest way to compute each number: shortest ways by relaxing every link, bytes by
 * going through the post-condition slot by slot.
 */
import {
  type Collective,
  collectiveFacts,
  expectation,
  messageChunks,
  outputChunks,
  shardOf,
} from '../ir/collective.ts';
import type { Certificate } from '../ir/report.ts';
import { chunkWeights } from '../ir/shards.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import type { Bytes, Seconds } from '../ir/units.ts';

/** Certificates may claim this much more than what is recomputed here: rounding. */
const rounding = 1 + 1e-9;

/** True if the certificate proves that no correct plan takes less than `certificate.seconds`. */
export function checkCertificate(
  certificate: Certificate,
  collective: Collective,
  topology: Topology,
  size: Bytes,
): boolean {
  const proved = provedBy(certificate, collective, topology, size);
  return proved !== undefined && certificate.seconds >= 0 && certificate.seconds <= proved * rounding;
}

/** The time that the witness proves; undefined if it proves nothing. */
function provedBy(
  certificate: Certificate,
  collective: Collective,
  topology: Topology,
  size: Bytes,
): Seconds | undefined {
  const { kind, witness } = certificate;
  switch (kind) {
    case 'trivial':
      return 0;
    case 'latency':
      return provedByWay(witness.from, witness.to, collective, topology);
    case 'spreading':
      return provedBySpreading(witness.direction, collective, topology);
    case 'bandwidth':
      return witness.inside === undefined
        ? provedByMessageCount(witness.direction, collective, topology, size)
        : provedByCut(witness.inside, collective, topology, size);
    case 'compute':
      return provedByReductions(collective, topology, size);
  }
}

type Witness = Certificate['witness'][string];

function provedByWay(from: Witness, to: Witness, collective: Collective, topology: Topology): Seconds | undefined {
  if (typeof from !== 'number' || typeof to !== 'number' || from === to) return undefined;
  if (!inputsNeededBy(collective, to).has(from)) return undefined;
  const distance = waysFrom(topology, from)[topology.chips[to]];
  if (collective.kind !== 'barrier' || topology.inflight === undefined) return distance;
  // News can also come back through a full channel: when a message is taken, its sender's next one is accepted. For that a
  // message has arrived, and without a rendezvous another one arrives later.
  const nearest = nearestPair(topology);
  return Math.min(distance, topology.inflight === 0 ? nearest : 2 * nearest);
}

/** K(t) = (1 + d)·K(t − 1) ranks can have heard of one rank after t messages in a row, or have been heard of by it. */
function provedBySpreading(direction: Witness, collective: Collective, topology: Topology): Seconds | undefined {
  if (direction !== 'out' && direction !== 'in') return undefined;
  if (collective.kind === 'barrier' && topology.inflight !== undefined) return undefined;
  const ranks = ranksOf(topology);
  const needed = topology.chips.map((_, rank) => inputsNeededBy(collective, rank));
  const hearsAll = (hub: number) => needed.every((_, other) => other === hub || needed[hub].has(other));
  const heardByAll = (hub: number) => needed.every((of, other) => other === hub || of.has(hub));
  if (!topology.chips.some((_, hub) => (direction === 'out' ? heardByAll(hub) : hearsAll(hub)))) return undefined;
  const slots = topology.chips.map((chip) => {
    const { ports } = topology.nodes[chip];
    const links = topology.links.filter((link) => (direction === 'out' ? link.from : link.to) === chip);
    const byLinks = links.every((link) => link.occupancy === 'blocking') ? links.length : Number.POSITIVE_INFINITY;
    return Math.min(byLinks, direction === 'out' ? ports.send : ports.receive);
  });
  const most = Math.max(...slots);
  if (most < 1) return undefined;
  let rounds = 0;
  while ((1 + most) ** rounds < ranks) rounds++;
  return rounds * nearestPair(topology);
}

function provedByCut(inside: Witness, collective: Collective, topology: Topology, size: Bytes): Seconds | undefined {
  if (typeof inside !== 'object') return undefined;
  const nodes = new Set(inside);
  const isInside = (rank: number) => nodes.has(topology.chips[rank]);
  const senders = topology.chips.flatMap((_, rank) => (isInside(rank) ? [rank] : []));
  const receivers = topology.chips.flatMap((_, rank) => (isInside(rank) ? [] : [rank]));
  if (senders.length === 0 || receivers.length === 0) return undefined;
  const crossing = topology.links
    .filter((link) => nodes.has(link.from) && !nodes.has(link.to))
    .map((link) => link.bandwidth)
    .sort((a, b) => b - a);
  const sendPorts = senders.length === 1 ? topology.nodes[topology.chips[senders[0]]].ports.send : crossing.length;
  const receivePorts =
    receivers.length === 1 ? topology.nodes[topology.chips[receivers[0]]].ports.receive : crossing.length;
  const bandwidth = sumOf(crossing.slice(0, Math.min(sendPorts, receivePorts)));
  const chunks = chunksCrossing(collective, isInside);
  if (chunks === 0 || bandwidth === 0) return undefined;
  const latency = Math.min(
    ...senders.map((from) => {
      const ways = waysFrom(topology, from);
      return Math.min(...receivers.map((to) => ways[topology.chips[to]]));
    }),
  );
  return latency + ((chunks / messageChunks(collective)) * size) / bandwidth;
}

/** 2(N − 1) messages per chunk of an allreduce. */
function provedByMessageCount(
  direction: Witness,
  collective: Collective,
  topology: Topology,
  size: Bytes,
): Seconds | undefined {
  if (collective.kind !== 'allreduce' || (direction !== 'out' && direction !== 'in')) return undefined;
  const perChip = topology.chips.map((chip) => {
    const { ports } = topology.nodes[chip];
    const links = topology.links.filter((link) => (direction === 'out' ? link.from : link.to) === chip);
    const bandwidths = links.map((link) => link.bandwidth).sort((a, b) => b - a);
    return sumOf(bandwidths.slice(0, direction === 'out' ? ports.send : ports.receive));
  });
  return nearestPair(topology) + (2 * (ranksOf(topology) - 1) * size) / sumOf(perChip);
}

/** A chunk that combines n inputs takes n − 1 reductions, each of a chunk's bytes. */
function provedByReductions(collective: Collective, topology: Topology, size: Bytes): Seconds | undefined {
  if (collective.kind === 'custom' || !collectiveFacts[collective.kind].reduces) return undefined;
  const engines = topology.chips.map((chip) => topology.nodes[chip].reduce?.throughput);
  if (engines.includes(undefined)) return undefined;
  // The most reductions that any slot needs for each chunk, in average chunks; slots of different chunks share none.
  const byShard = chunkWeights(collective);
  const reduced = new Map<number, number>();
  for (let rank = 0; rank < collective.ranks; rank++) {
    for (let slot = 0; slot < outputChunks(collective, rank); slot++) {
      const wanted = expectation(collective, rank, slot);
      if (wanted.kind !== 'ranks') continue;
      const weight = byShard?.[shardOf(collective, 'output', rank, slot)] ?? 1;
      const needed = weight * (wanted.last - wanted.first);
      reduced.set(wanted.chunk, Math.max(reduced.get(wanted.chunk) ?? 0, needed));
    }
  }
  const reductions = sumOf([...reduced.values()]);
  return ((reductions / messageChunks(collective)) * size) / sumOf(engines.map((throughput) => throughput ?? 0));
}

/** The ranks whose input a rank's output depends on. */
function inputsNeededBy(collective: Collective, rank: number): Set<number> {
  if (collective.kind === 'barrier') return new Set(Array.from({ length: collective.ranks }, (_, other) => other));
  const needed = new Set<number>();
  for (let slot = 0; slot < outputChunks(collective, rank); slot++) {
    const wanted = expectation(collective, rank, slot);
    if (wanted.kind === 'list') for (const contribution of wanted.contributions) needed.add(contribution.rank);
    if (wanted.kind === 'ranks') for (let other = wanted.first; other <= wanted.last; other++) needed.add(other);
  }
  return needed;
}

/**
 * Average chunks that must pass from the inside to the outside, in distinct values: of a collective that reduces one for
 * each chunk that has a contributor inside, else (and for unreduced slots of custom ones) one for each input chunk.
 */
function chunksCrossing(collective: Collective, isInside: (rank: number) => boolean): number {
  const { kind, ranks } = collective;
  const merges = kind !== 'custom' && collectiveFacts[kind].reduces;
  const byShard = chunkWeights(collective);
  const values = new Map<string, number>();
  for (let rank = 0; rank < ranks; rank++) {
    if (isInside(rank)) continue;
    for (let slot = 0; slot < outputChunks(collective, rank); slot++) {
      const wanted = expectation(collective, rank, slot);
      const weight = byShard?.[shardOf(collective, 'output', rank, slot)] ?? 1;
      if (wanted.kind === 'list' && wanted.contributions.length === 1) {
        const [{ rank: source, chunk }] = wanted.contributions;
        if (isInside(source)) values.set(`${source} ${chunk}`, weight);
      }
      if (wanted.kind !== 'ranks') continue;
      for (let source = wanted.first; source <= wanted.last; source++) {
        if (isInside(source)) values.set(merges ? `${wanted.chunk}` : `${source} ${wanted.chunk}`, weight);
      }
    }
  }
  return sumOf([...values.values()]);
}

/** Least Σα between two distinct ranks. */
function nearestPair(topology: Topology): Seconds {
  let least = Number.POSITIVE_INFINITY;
  topology.chips.forEach((_, from) => {
    const ways = waysFrom(topology, from);
    topology.chips.forEach((chip, to) => {
      if (to !== from) least = Math.min(least, ways[chip]);
    });
  });
  return least;
}

/** Least Σα from a rank to every node, by relaxing all links until nothing changes (Bellman and Ford). */
function waysFrom(topology: Topology, rank: number): readonly Seconds[] {
  const ways = topology.nodes.map(() => Number.POSITIVE_INFINITY);
  ways[topology.chips[rank]] = 0;
  for (let changed = true; changed; ) {
    changed = false;
    for (const { from, to, latency } of topology.links) {
      if (ways[from] + latency >= ways[to]) continue;
      ways[to] = ways[from] + latency;
      changed = true;
    }
  }
  return ways;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

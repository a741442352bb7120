/** Checks of bounds that add latency, bytes or reductions up (docs/bounds.md). */
import type { Collective } from '../../ir/collective.ts';
import { ranksOf, type Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { messagesInAll, reductionsInAll } from './values.ts';
import { capacityOf, nearestPair, sumOf, waysFrom, waysTo } from './ways.ts';

type Direction = 'out' | 'in';

/** All messages leave and enter chips, whose links are idle while they reduce if their engines do not overlap. */
export function provedByMessageCount(
  direction: Direction,
  exclusive: boolean,
  collective: Collective,
  topology: Topology,
  size: Bytes,
): Seconds | undefined {
  const messages = messagesInAll(collective);
  if (messages === 0) return undefined;
  const capacities = topology.chips.map((chip) => capacityOf(topology, chip, direction));
  let reducing = 0;
  if (exclusive) {
    const engines = topology.chips.map((chip) => topology.nodes[chip].reduce);
    if (engines.some((engine) => engine === undefined || engine.overlap)) return undefined;
    const ratios = engines.map((engine, rank) => capacities[rank] / (engine?.throughput ?? Number.POSITIVE_INFINITY));
    reducing = Math.min(...ratios) * reductionsInAll(collective);
  }
  return nearestPair(topology) + ((messages + reducing) * size) / sumOf(capacities);
}

/** A reduce whose root takes part in the reductions only as far as it receives what it reduces; links are idle meanwhile. */
export function provedByRootsShare(collective: Collective, topology: Topology, size: Bytes): Seconds | undefined {
  if (collective.kind !== 'reduce') return undefined;
  const engines = topology.chips.map((chip) => topology.nodes[chip].reduce);
  if (engines.some((engine) => engine === undefined || engine.overlap)) return undefined;
  const throughput = engines.map((engine) => engine?.throughput ?? 0);
  const others = topology.chips.map((_, rank) => rank).filter((rank) => rank !== collective.root);
  const sends = others.map((rank) => capacityOf(topology, topology.chips[rank], 'out'));
  const ratio = Math.min(...others.map((rank, i) => sends[i] / throughput[rank]));
  const receives = capacityOf(topology, topology.chips[collective.root], 'in');
  const messages = others.length * size;
  const withRoot = (x: Bytes) => (messages + ratio * (messages - x)) / sumOf(sends);
  const ofRoot = (x: Bytes) => x / receives + x / throughput[collective.root];
  // The first falls with x and the second rises: where they meet, or at the end.
  let [low, high] = [0, messages];
  for (let round = 0; round < 100; round++) {
    const middle = (low + high) / 2;
    if (withRoot(middle) > ofRoot(middle)) low = middle;
    else high = middle;
  }
  return nearestPair(topology) + Math.max(withRoot(high), ofRoot(low));
}

/** The side on which N − 1 equal shards come together at a rank, or part; undefined if the collective has none. */
function gathers(collective: Collective, direction: Direction): boolean {
  if (collective.counts !== undefined) return false;
  const kinds = direction === 'in' ? ['allgather', 'gather', 'alltoall'] : ['reducescatter', 'scatter', 'alltoall'];
  return kinds.includes(collective.kind);
}

/** ⌈log₁₊ᵣ N⌉·α + (N − 1)m / B, where every chip has slots that carry one message at a time. */
export function provedByGathering(
  direction: Direction,
  collective: Collective,
  topology: Topology,
  size: Bytes,
): Seconds | undefined {
  if (!gathers(collective, direction)) return undefined;
  const slots = topology.chips.map((chip) => {
    const { ports } = topology.nodes[chip];
    const most = direction === 'out' ? ports.send : ports.receive;
    const links = topology.links.filter((link) => (direction === 'out' ? link.from : link.to) === chip);
    const bandwidths = links.map((link) => link.bandwidth);
    if (bandwidths.length <= most && links.every((link) => link.occupancy === 'blocking')) return bandwidths;
    return Number.isFinite(most) ? Array.from({ length: most }, () => Math.max(...bandwidths)) : undefined;
  });
  if (slots.some((of) => of === undefined || of.length === 0)) return undefined;
  const together = Math.max(...slots.map((of) => sumOf(of ?? [])));
  const slowest = Math.min(...slots.flatMap((of) => of ?? []));
  const ranks = ranksOf(topology);
  let rounds = 0;
  while ((1 + together / slowest) ** rounds < ranks * (1 - 1e-9)) rounds++;
  return rounds * nearestPair(topology) + (((ranks - 1) / ranks) * size) / together;
}

/** ⌈(N − 1)/k⌉·α + (N − 1)m/(kβ) for a rank with k ways in (or out) on a ring or line of blocking links. */
export function provedByRow(
  rank: number,
  direction: Direction,
  collective: Collective,
  topology: Topology,
  size: Bytes,
): Seconds | undefined {
  const { chips, links, nodes } = topology;
  if (!gathers(collective, direction) || chips[rank] === undefined) return undefined;
  if ((collective.kind === 'gather' || collective.kind === 'scatter') && rank !== collective.root) return undefined;
  if (nodes.length !== chips.length || links.some((link) => link.occupancy !== 'blocking')) return undefined;
  const around = nodes.map(
    (_, node) => new Set(links.flatMap(({ from, to }) => (from === node ? [to] : to === node ? [from] : []))),
  );
  if (around.some((others) => others.size > 2)) return undefined;
  const ways = links.filter((link) => (direction === 'in' ? link.to : link.from) === chips[rank]);
  if (ways.length === 0 || new Set(links.map(({ from, to }) => `${from} ${to}`)).size !== links.length)
    return undefined;
  const latency = Math.min(...links.map((link) => link.latency));
  const bandwidth = Math.max(...links.map((link) => link.bandwidth));
  const others = ranksOf(topology) - 1;
  return Math.ceil(others / ways.length) * latency + ((others / (others + 1)) * size) / ways.length / bandwidth;
}

/**
 * A broadcast (or reduce, on the machine turned round) whose bytes the root does not bring to all of these chips itself: the time
 * claimed is proved if a plan that is done by then would leave too little room in the slots of the root and of one of the chips.
 */
export function provesRelay(
  claimed: Seconds,
  chips: readonly number[],
  collective: Collective,
  topology: Topology,
  size: Bytes,
): boolean {
  const { kind, root } = collective;
  if ((kind !== 'broadcast' && kind !== 'reduce') || chips.length === 0 || size <= 0) return false;
  if (
    new Set(chips).size !== chips.length ||
    chips.some((rank) => topology.chips[rank] === undefined || rank === root)
  ) {
    return false;
  }
  const [out, into] = kind === 'broadcast' ? (['out', 'in'] as const) : (['in', 'out'] as const);
  const first = slotsAt(topology, topology.chips[root], out);
  const last = chips.map((rank) => slotsAt(topology, topology.chips[rank], into));
  if (first === undefined || last.some((slots) => slots === undefined)) return false;
  const ways = (kind === 'broadcast' ? waysFrom : waysTo)(topology, [topology.chips[root]]);
  const distance = Math.min(...chips.map((rank) => ways[topology.chips[rank]]));
  const lastLatency = Math.min(...last.map((slots) => slots?.latency ?? 0));
  const [sent, taken] = [sumOf(first.slots), Math.max(...last.map((slots) => sumOf(slots?.slots ?? [])))];
  const messages = first.latency + lastLatency;
  const between = Math.max(0, distance - messages);
  const direct = (sent * claimed) / chips.length;
  const uncounted = direct * (direct / Math.min(...first.slots) + Math.max(0, messages - distance));
  const room = (window: Seconds) =>
    sent * (window ** 2 / 2 - behind(window, first.latency)) + taken * (window ** 2 / 2 - behind(window, lastLatency));
  const least = size / Math.min(sent, taken);
  if (claimed < least + between) return true;
  // The claim may be rounded up by a little.
  const windows = [least, claimed * (1 - 1e-9) - between];
  return windows.every((window) => room(window) + uncounted <= size * window * (1 + 1e-9));
}

/** Bandwidths of the slots of a chip, each of which carries one message at a time, and the least Σα of a message in them. */
function slotsAt(topology: Topology, chip: number, direction: Direction) {
  const ports = direction === 'out' ? topology.nodes[chip].ports.send : topology.nodes[chip].ports.receive;
  const links = topology.links.filter((link) => (direction === 'out' ? link.from : link.to) === chip);
  const bandwidths = links.map((link) => link.bandwidth);
  const blocking = bandwidths.length <= ports && links.every((link) => link.occupancy === 'blocking');
  if (bandwidths.length === 0 || (!blocking && !Number.isFinite(ports))) return undefined;
  const slots = blocking ? bandwidths : Array.from({ length: ports }, () => Math.max(...bandwidths));
  const ways = (direction === 'out' ? waysFrom : waysTo)(topology, [chip]);
  const latency = Math.min(...topology.chips.filter((other) => other !== chip).map((other) => ways[other]));
  return { slots, latency };
}

/** Least Σ wᵢ(i − 1)a + wᵢ²/2 where Σ wᵢ = W: wᵢ = θ − (i − 1)a as long as that is positive, with the θ that makes the sum W. */
function behind(window: Seconds, latency: Seconds): number {
  if (latency === 0) return 0;
  let count = 1;
  while ((latency * (count + 1) * count) / 2 < window) count++;
  const longest = (window + (latency * count * (count - 1)) / 2) / count;
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const width = longest - i * latency;
    sum += width * i * latency + width ** 2 / 2;
  }
  return sum;
}

/** Checks of bounds that add latency, bytes or reductions up (docs/bounds.md). */
import type { Collective } from '../../ir/collective.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes, BytesPerSecond, Seconds } from '../../ir/units.ts';
import { messagesInAll, valuesBetween, valuesBySource } from './values.ts';
import { capacityOf, nearestPair, sumOf, waysTo } from './ways.ts';

type Direction = 'out' | 'in';

/** All messages leave and enter chips. */
export function provedByMessageCount(
  direction: Direction,
  collective: Collective,
  topology: Topology,
  size: Bytes,
): Seconds | undefined {
  const messages = messagesInAll(collective);
  if (messages === 0) return undefined;
  const capacities = topology.chips.map((chip) => capacityOf(topology, chip, direction));
  return nearestPair(topology) + (messages * size) / sumOf(capacities);
}

/**
 * What comes together at a rank (or is spread from it), and how many times the largest part of it that one other rank has of its own (or
 * keeps) that is; undefined if the collective has no such parts.
 */
function gathered(
  collective: Collective,
  rank: number,
  direction: Direction,
  size: Bytes,
): { readonly bytes: Bytes; readonly parts: number } | undefined {
  const { kind, ranks } = collective;
  const kinds = direction === 'in' ? ['allgather', 'gather', 'alltoall'] : ['reducescatter', 'scatter', 'alltoall'];
  if (!kinds.includes(kind)) return undefined;
  const others = Array.from({ length: ranks }, (_, other) => other).filter((other) => other !== rank);
  if (others.length !== ranks - 1) return undefined;
  const parts =
    direction === 'in'
      ? [...valuesBySource(collective, rank).values()]
      : others.map((other) => valuesBetween(collective, new Set([rank]), [other]));
  const whole = sumOf(parts);
  return whole === 0 ? undefined : { bytes: whole * size, parts: whole / Math.max(...parts) };
}

/** By rank, the bandwidths of what carries one message at a time; undefined where messages without limit can be under way. */
export function slotsOf(topology: Topology, direction: Direction): readonly (readonly BytesPerSecond[] | undefined)[] {
  return topology.chips.map((chip) => {
    const { ports } = topology.nodes[chip];
    const most = direction === 'out' ? ports.send : ports.receive;
    const links = topology.links.filter((link) => (direction === 'out' ? link.from : link.to) === chip);
    const bandwidths = links.map((link) => link.bandwidth);
    if (bandwidths.length <= most && links.every((link) => link.occupancy === 'blocking')) return bandwidths;
    return Number.isFinite(most) ? Array.from({ length: most }, () => Math.max(...bandwidths)) : undefined;
  });
}

/**
 * Of an alltoall: what goes straight has a message of its own, which takes its latency as well; everything else is sent twice, and
 * received twice. All slots together have room for that.
 */
export function provedByStraightMessages(
  direction: Direction,
  collective: Collective,
  topology: Topology,
  size: Bytes,
): Seconds | undefined {
  const { chips } = topology;
  const slots = slotsOf(topology, direction);
  if (collective.kind !== 'alltoall' || slots.some((of) => of === undefined || of.length === 0)) return undefined;
  let bytes = 0;
  for (let target = 0; target < chips.length; target++) {
    const latencies = waysTo(topology, [chips[target]]);
    for (const [source, part] of valuesBySource(collective, target)) {
      const slowest = Math.min(...(slots[direction === 'out' ? source : target] ?? []));
      bytes += Math.min(slowest * latencies[chips[source]] + part * size, 2 * part * size);
    }
  }
  return bytes / sumOf(slots.flatMap((of) => of ?? []));
}

/** ⌈log₁₊ᵣ(1 + W/m)⌉·α + W/B for a rank that takes in W, where every chip has slots that carry one message at a time. */
export function provedByGathering(
  rank: number,
  direction: Direction,
  collective: Collective,
  topology: Topology,
  size: Bytes,
): Seconds | undefined {
  const all = gathered(collective, rank, direction, size);
  if (all === undefined) return undefined;
  const slots = slotsOf(topology, direction);
  if (slots.some((of) => of === undefined || of.length === 0)) return undefined;
  const together = Math.max(...slots.map((of) => sumOf(of ?? [])));
  const slowest = Math.min(...slots.flatMap((of) => of ?? []));
  let rounds = 0;
  while ((1 + together / slowest) ** rounds < (1 + all.parts) * (1 - 1e-9)) rounds++;
  return rounds * nearestPair(topology) + all.bytes / together;
}

/** ⌈W/(km)⌉·α + W/(kβ) for a rank with k ways in (or out) on a ring or line of blocking links. */
export function provedByRow(
  rank: number,
  direction: Direction,
  collective: Collective,
  topology: Topology,
  size: Bytes,
): Seconds | undefined {
  const { chips, links, nodes } = topology;
  const all = gathered(collective, rank, direction, size);
  if (all === undefined) return undefined;
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
  const inARow = Math.ceil((all.parts / ways.length) * (1 - 1e-9));
  return inARow * latency + all.bytes / ways.length / bandwidth;
}

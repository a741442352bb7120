/** Checks of cuts and of lengths (docs/bounds.md). */
import type { Collective } from '../../ir/collective.ts';
import { shardBytes } from '../../ir/shards.ts';
import type { Link, Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { lengthOfScan } from './scans.ts';
import { spannedLength } from './spans.ts';
import { valuesBetween } from './values.ts';
import { capacityOf, nearestPair, sumOf, waysFrom, waysTo } from './ways.ts';

/** Nodes inside a cut, ranks inside whose values are counted, ranks outside that need them. */
export interface CutWitness {
  readonly inside: readonly number[];
  readonly sources: readonly number[];
  readonly targets: readonly number[];
}

/** The time at which all crossings together, each from its latency on, have carried the bytes. */
export function provedByCut(
  witness: CutWitness,
  collective: Collective,
  topology: Topology,
  size: Bytes,
): Seconds | undefined {
  const { chips, links, nodes } = topology;
  const inside = new Set(witness.inside);
  const sources = new Set(witness.sources);
  const isRank = (rank: number) => chips[rank] !== undefined;
  if (!witness.sources.every(isRank) || !witness.targets.every((rank) => isRank(rank) && !sources.has(rank))) return;
  if (witness.inside.some((node) => nodes[node] === undefined)) return;
  const sourceChips = witness.sources.map((rank) => chips[rank]);
  const targetChips = witness.targets.map((rank) => chips[rank]);
  const before = waysFrom(topology, sourceChips);
  const senders = soonestSenders(topology, before);
  const after = waysTo(topology, targetChips);
  const crossings = links
    .filter((link) => inside.has(link.from) && !inside.has(link.to))
    .map((link) => {
      const start = link.occupancy === 'blocking' ? before[link.from] : senders(link);
      return { bandwidth: link.bandwidth, latency: start + link.latency + after[link.to] };
    });
  for (const chip of sourceChips) {
    if (!inside.has(chip)) crossings.push({ bandwidth: capacityOf(topology, chip, 'out'), latency: after[chip] });
  }
  for (const chip of targetChips) {
    if (!inside.has(chip)) continue;
    const blocking = links.every((link) => link.to !== chip || link.occupancy === 'blocking');
    const others = chips.filter((other) => other !== chip);
    const latency = (blocking ? before : waysFrom(topology, others))[chip];
    crossings.push({ bandwidth: capacityOf(topology, chip, 'in'), latency });
  }
  const bytes = valuesBetween(collective, sources, witness.targets) * size;
  return bytes === 0
    ? undefined
    : earliest((t) => sumOf(crossings.map((c) => c.bandwidth * Math.max(0, t - c.latency))), bytes);
}

/**
 * For a pipelined link, which is busy from the start of each message on: when the first can start at whoever sends over it, and the least way from
 * there to it. Messages take ways of least Σα; on large machines any may lead over any link.
 */
function soonestSenders(topology: Topology, before: readonly Seconds[]): (link: Link) => Seconds {
  const { chips, nodes } = topology;
  const nearest = waysFrom(topology, chips);
  if (nodes.length > 128) return ({ from }) => nearest[from];
  const ways = new Map(chips.map((chip) => [chip, waysFrom(topology, [chip])]));
  return ({ from, to, latency }) => {
    const onwards = waysFrom(topology, [to]);
    let start = Number.POSITIVE_INFINITY;
    let least = Number.POSITIVE_INFINITY;
    for (const [chip, way] of ways) {
      const isOnTheWay = (other: number) => {
        const tolerance = 1e-12 + 1e-9 * way[other];
        return other !== chip && way[from] + latency + onwards[other] - way[other] <= tolerance;
      };
      if (!chips.some(isOnTheWay)) continue;
      start = Math.min(start, before[chip]);
      least = Math.min(least, way[from]);
    }
    return Number.isFinite(least) ? start + least : nearest[from];
  };
}

/** The least t with carried(t) ≥ bytes, from below, by halving. */
function earliest(carried: (t: Seconds) => Bytes, bytes: Bytes): Seconds | undefined {
  let late = 1;
  while (carried(late) < bytes) {
    late *= 2;
    if (!Number.isFinite(late)) return undefined;
  }
  let early = 0;
  for (let round = 0; round < 200; round++) {
    const middle = (early + late) / 2;
    if (carried(middle) < bytes) early = middle;
    else late = middle;
  }
  return early;
}

/** Bytes times distance in all, over what the links can carry of it per second. */
export function provedByLengths(
  lengths: readonly number[],
  collective: Collective,
  topology: Topology,
  size: Bytes,
): Seconds | undefined {
  const { links } = topology;
  if (lengths.length !== links.length || lengths.some((length) => !(length >= 0))) return undefined;
  const capacity = sumOf(links.map((link, index) => lengths[index] * link.bandwidth));
  if (capacity === 0) return undefined;
  switch (collective.kind) {
    case 'alltoall':
      return nearestPair(topology) + distancesOfPairs(lengths, collective, topology, size) / capacity;
    case 'allreduce':
    case 'custom':
      return nearestPair(topology) + (spannedLength(lengths, collective, topology) * size) / capacity;
    case 'scan':
    case 'exscan':
      return nearestPair(topology) + (lengthOfScan(lengths, collective, topology) * size) / capacity;
    default:
      return undefined;
  }
}

function distancesOfPairs(lengths: readonly number[], collective: Collective, topology: Topology, size: Bytes): number {
  const { chips } = topology;
  const bytes = shardBytes(collective, size);
  let total = 0;
  chips.forEach((chip, from) => {
    const ways = waysFrom(topology, [chip], (_, index) => lengths[index]);
    chips.forEach((other, to) => {
      if (to !== from && bytes[from * chips.length + to] > 0) total += ways[other] * bytes[from * chips.length + to];
    });
  });
  return total;
}

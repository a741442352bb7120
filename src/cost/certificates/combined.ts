/** Checks of bounds that add latency, bytes or reductions up (docs/bounds.md). */
import type { Collective } from '../../ir/collective.ts';
import { ranksOf, type Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { messagesInAll, reductionsInAll } from './values.ts';
import { capacityOf, nearestPair, sumOf } from './ways.ts';

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

/** Checks of bounds that add latency, bytes or reductions up (docs/bounds.md). */
import type { Collective } from '../../ir/collective.ts';
import { ranksOf, type Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { messagesInAll } from './values.ts';
import { capacityOf, nearestPair, sumOf } from './ways.ts';

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

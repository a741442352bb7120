/** Which ranks form boxes, as the topology declares or as its links suggest. */
import { DisjointSets } from '../../ir/disjoint-sets.ts';
import { type Link, ranksOf, type Topology } from '../../ir/topology.ts';

/**
 * `groups[g][p]` is the rank at position p of group g, and every rank is in one group; or the reason why there are no
 * groups.
 */
export type Grouping =
  | { readonly groups: readonly (readonly number[])[]; readonly reason?: undefined }
  | { readonly groups: undefined; readonly reason: string };

/**
 * Links between boxes have at most this part of a chip's bandwidth within its box, or at least the inverse of it in
 * latency.
 */
const slower = 1 / 2;

/** The declared groups of the topology, or else boxes joined by slower links. */
export function topologyGroups(topology: Topology): Grouping {
  const { groups } = topology;
  if (groups.length === 0) {
    const found = detectGroups(topology);
    if (found !== undefined) return { groups: found };
    return {
      groups: undefined,
      reason: 'no groups are declared, and no links are so much slower that they join boxes',
    };
  }
  if (groups.length === 1) return { groups: undefined, reason: 'there is only one group' };
  const grouped = groups.reduce((sum, { length }) => sum + length, 0);
  if (grouped < ranksOf(topology)) {
    return { groups: undefined, reason: `${ranksOf(topology) - grouped} ranks are in no group` };
  }
  if (groups.every(({ length }) => length === 1)) return { groups: undefined, reason: 'every group is a single rank' };
  return { groups };
}

/**
 * Finds the largest boxes: the components that remain connected when the slowest links are removed, just until the
 * machine falls apart. Links are first ranked by bandwidth, then by latency. Undefined if a box would be a single chip
 * or does not satisfy `isBox`, since a cut through a torus is no border between boxes.
 */
export function detectGroups(topology: Topology): readonly (readonly number[])[] | undefined {
  const distinct = (values: number[]): number[] => [...new Set(values)].sort((a, b) => a - b);
  const wide =
    (least: number): IsFast =>
    (link) =>
      link.bandwidth >= least;
  const near =
    (most: number): IsFast =>
    (link) =>
      link.latency <= most;
  const bandwidths = distinct(topology.links.map(({ bandwidth }) => bandwidth)).slice(1);
  const byBandwidth = firstSplit(topology, bandwidths.map(wide));
  if (byBandwidth?.groups.every((group) => hasBandwidthWithin(topology, group, byBandwidth.fast)))
    return byBandwidth.groups;
  const latencies = distinct(topology.links.map(({ latency }) => latency)).slice(0, -1);
  const byLatency = firstSplit(topology, latencies.reverse().map(near));
  return byLatency !== undefined && isFarApart(topology, byLatency.fast) ? byLatency.groups : undefined;
}

type IsFast = (link: Link) => boolean;

/**
 * The first choice of fast links, from the widest choice on, that does not connect all chips; undefined if it leaves
 * single chips.
 */
function firstSplit(topology: Topology, choices: readonly IsFast[]) {
  for (const fast of choices) {
    const groups = connectedBy(topology, fast);
    if (groups.length > 1) return groups.every((group) => group.length > 1) ? { groups, fast } : undefined;
  }
  return undefined;
}

/** The ranks of chips that the links connect, ignoring direction, in ascending order. */
function connectedBy({ nodes, links, chips }: Topology, fast: IsFast): number[][] {
  const connected = new DisjointSets(nodes.length);
  for (const link of links) if (fast(link)) connected.join(link.from, link.to);
  const groups = new Map<number, number[]>();
  chips.forEach((node, rank) => {
    const group = groups.get(connected.of(node));
    if (group === undefined) groups.set(connected.of(node), [rank]);
    else group.push(rank);
  });
  return [...groups.values()];
}

/** Whether the slow links of a group have that much less bandwidth than its fast ones. */
function hasBandwidthWithin({ links, chips }: Topology, group: readonly number[], fast: IsFast): boolean {
  const members = new Set(group.map((rank) => chips[rank]));
  let [within, outwards] = [0, 0];
  for (const link of links) {
    if (!members.has(link.from)) continue;
    if (fast(link) || members.has(link.to)) within += link.bandwidth;
    else outwards += link.bandwidth;
  }
  return outwards <= slower * within;
}

/** Whether every slow link has that much more latency than any fast one. */
function isFarApart({ links }: Topology, fast: IsFast): boolean {
  const longestFast = links.filter(fast).reduce((most, { latency }) => Math.max(most, latency), 0);
  return links.every((link) => fast(link) || link.latency * slower >= longestFast);
}

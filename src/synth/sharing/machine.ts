/** The machine that a group of ranks has where others use the same links: its chips, joined by the ways that it was given. */
import type { Link, Topology } from '../../ir/topology.ts';
import type { Way } from './ways.ts';

export interface GroupMachine {
  /** Its chips are those of the group, rank by rank; a link stands for all ways between two of them. */
  readonly topology: Topology;
  /** The ways that the link from one rank of the group to another stands for. */
  waysBetween(from: number, to: number): readonly Way[];
}

/** @param ways between chips of the group; undefined if they do not join all of them both ways */
export function groupMachine(
  machine: Topology,
  group: readonly number[],
  ways: readonly Way[],
): GroupMachine | undefined {
  const rankAt = new Map(group.map((rank, index) => [machine.chips[rank], index]));
  const endsOf = ({ links }: Way): string => {
    const [from, to] = [machine.links[links[0]].from, machine.links[links[links.length - 1]].to];
    return `${rankAt.get(from)} ${rankAt.get(to)}`;
  };
  const between = new Map<string, Way[]>();
  for (const way of ways) between.set(endsOf(way), [...(between.get(endsOf(way)) ?? []), way]);
  const links = [...between].map(([ends, all]): Link => {
    const [from, to] = ends.split(' ').map(Number);
    return linkOf(from, to, all, machine);
  });
  if (!joinsAll(links, group.length)) return undefined;
  const topology: Topology = {
    ...machine,
    name: `${machine.name} shared, ${group.join(',')}`,
    nodes: group.map((rank) => machine.nodes[machine.chips[rank]]),
    links,
    chips: group.map((_, index) => index),
    shape: undefined,
    groups: [],
  };
  return { topology, waysBetween: (from, to) => between.get(`${from} ${to}`) ?? [] };
}

/** As slow to begin as the slowest way, and as wide as all. */
function linkOf(from: number, to: number, ways: readonly Way[], machine: Topology): Link {
  const linksOf = (way: Way) => way.links.map((link) => machine.links[link]);
  return {
    ...linksOf(ways[0])[0],
    from,
    to,
    latency: Math.max(...ways.map((way) => linksOf(way).reduce((sum, { latency }) => sum + latency, 0))),
    bandwidth: ways.reduce((sum, { bandwidth }) => sum + bandwidth, 0),
    occupancy: ways.flatMap(linksOf).some(({ occupancy }) => occupancy === 'blocking') ? 'blocking' : 'pipelined',
  };
}

/** Ways lead both ways, so that what can be reached from one can also reach it. */
function joinsAll(links: readonly Link[], ranks: number): boolean {
  const reached = new Set([0]);
  for (const rank of reached) for (const { from, to } of links) if (from === rank) reached.add(to);
  return reached.size === ranks;
}

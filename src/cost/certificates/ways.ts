/** Shortest ways and capacities, computed the plainest way, for checking certificates. */
import type { Link, Topology } from '../../ir/topology.ts';
import type { BytesPerSecond, Seconds } from '../../ir/units.ts';

/** Least sum of `weight` from one of the nodes to every node, by relaxing all links until nothing changes (Bellman and Ford). */
export function waysFrom(
  topology: Topology,
  sources: readonly number[],
  weight: (link: Link, index: number) => number = (link) => link.latency,
): readonly number[] {
  const ways = topology.nodes.map(() => Number.POSITIVE_INFINITY);
  for (const node of sources) ways[node] = 0;
  for (let changed = true; changed; ) {
    changed = false;
    topology.links.forEach((link, index) => {
      const way = ways[link.from] + weight(link, index);
      if (way >= ways[link.to]) return;
      ways[link.to] = way;
      changed = true;
    });
  }
  return ways;
}

/** Least sum from every node to one of the targets. */
export function waysTo(topology: Topology, targets: readonly number[]): readonly number[] {
  const links = topology.links.map((link) => ({ ...link, from: link.to, to: link.from }));
  return waysFrom({ ...topology, links }, targets);
}

/** Least Σα between two distinct ranks. */
export function nearestPair(topology: Topology): Seconds {
  let least = Number.POSITIVE_INFINITY;
  topology.chips.forEach((from) => {
    const ways = waysFrom(topology, [from]);
    topology.chips.forEach((to) => {
      if (to !== from) least = Math.min(least, ways[to]);
    });
  });
  return least;
}

/** What a chip can send or receive at a time: as many of its fastest links as it has ports. */
export function capacityOf(topology: Topology, chip: number, direction: 'out' | 'in'): BytesPerSecond {
  const { ports } = topology.nodes[chip];
  const links = topology.links.filter((link) => (direction === 'out' ? link.from : link.to) === chip);
  const bandwidths = links.map((link) => link.bandwidth).sort((a, b) => b - a);
  return sumOf(bandwidths.slice(0, direction === 'out' ? ports.send : ports.receive));
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/**
 * Partitions links among groups of ranks that work simultaneously. Each group connects its ranks by trees, if useful
 * over chips of other groups. Multiplicative weights (Plotkin, Shmoys and Tardos 1995) approximate the fractional
 * packing in which the most loaded link is loaded as little as possible: compute shortest trees, lengthen the loaded
 * links, repeat. Each group is given the routes that its trees used most often, with bandwidth in proportion.
 */
import { NearestFirst } from '../graph/nearest-first.ts';
import type { Link, Topology } from '../ir/topology.ts';
import type { BytesPerSecond } from '../ir/units.ts';

/** A route between two ranks of a group, and the share of its links' bandwidth that the group is given. */
export interface SharedRoute {
  /** Link indices in order of travel. */
  readonly links: readonly number[];
  readonly bandwidth: BytesPerSecond;
}

/** The machine that a group effectively has while others use the same links. */
export interface GroupMachine {
  /** Its chips are those of the group, in rank order; one link stands for all routes between two of them. */
  readonly topology: Topology;
  /** The routes that the link between two ranks of the group stands for. */
  waysBetween(from: number, to: number): readonly SharedRoute[];
}

/** Budget of the search, in links visited. */
const searchWork = 4_000_000;
const mostRounds = 400;
/** Routes get integer multiples of this share of the slowest link; routes with less than half of it are dropped. */
const finest = 1 / 12;

/**
 * The routes of each group, over chips of the groups only; other chips do not take part. Undefined if some link has no
 * reverse link, or some chip is unreachable.
 * @param groups disjoint sets of ranks of the machine
 */
export function routesForGroups(
  topology: Topology,
  groups: readonly (readonly number[])[],
): readonly (readonly SharedRoute[])[] | undefined {
  const { links, chips } = topology;
  const byEnds = new Map(links.map(({ from, to }, link) => [`${from} ${to}`, link]));
  const back = links.map(({ from, to }) => byEnds.get(`${to} ${from}`) ?? -1);
  if (back.includes(-1)) return undefined;
  const members = new Set(groups.flat().map((rank) => chips[rank]));
  const outgoing: number[][] = topology.nodes.map(() => []);
  for (const [link, { from, to }] of links.entries()) if (members.has(to)) outgoing[from].push(link);
  const length = links.map(({ bandwidth }) => 1 / bandwidth);
  /** How often each route and each link was part of a tree; half of each tree's use counts for each direction. */
  const taken = groups.map(() => new Map<string, { readonly links: readonly number[]; readonly times: number }>());
  const load = links.map(() => 0);
  const rounds = Math.floor(searchWork / (links.length * groups.flat().length));
  const enough = Math.max(1, Math.min(mostRounds, rounds));
  let least = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= enough; round++) {
    for (const [index, group] of groups.entries()) {
      const tree = shortestTree(topology, outgoing, length, group);
      if (tree === undefined) return undefined;
      for (const route of tree.flatMap((there) => [there, there.toReversed().map((link) => back[link])])) {
        const name = route.join(' ');
        taken[index].set(name, { links: route, times: (taken[index].get(name)?.times ?? 0) + 1 / 2 });
        for (const link of route) load[link] += 1 / 2;
      }
    }
    const busy = links.map(({ bandwidth }, link) => load[link] / bandwidth / round);
    const busiest = busy.reduce((most, each) => Math.max(most, each), 0);
    least = Math.min(least, busiest);
    const pace = 2 * Math.sqrt(round);
    for (const [link, { bandwidth }] of links.entries()) {
      length[link] = Math.exp(pace * (busy[link] / busiest - 1)) / bandwidth;
    }
  }
  const unit = finest * Math.min(...new Set(links.map(({ bandwidth }) => bandwidth)));
  return taken.map((routes) =>
    [...routes.values()]
      .map(({ links: route, times }) => ({ links: route, bandwidth: Math.round(times / enough / least / unit) * unit }))
      .filter(({ bandwidth }) => bandwidth > 0),
  );
}

/**
 * Routes that connect the ranks of a group: each is the shortest from a chip of the tree to one outside it; undefined
 * if there is none.
 */
function shortestTree(
  { nodes, links, chips }: Topology,
  outgoing: readonly (readonly number[])[],
  length: readonly number[],
  group: readonly number[],
): readonly (readonly number[])[] | undefined {
  const [first, ...rest] = group.map((rank) => chips[rank]);
  const joined = [first];
  const apart = new Set(rest);
  const tree: number[][] = [];
  while (apart.size > 0) {
    const arrivedBy = nodes.map(() => -1);
    const search = new NearestFirst(nodes.length);
    for (const chip of joined) search.reach(chip, 0);
    let node = search.next();
    for (; node >= 0 && !apart.has(node); node = search.next()) {
      for (const link of outgoing[node]) {
        const { to } = links[link];
        if (search.reach(to, search.length[node] + length[link])) arrivedBy[to] = link;
      }
    }
    if (node < 0) return undefined;
    apart.delete(node);
    joined.push(node);
    const route: number[] = [];
    for (let at = node; arrivedBy[at] >= 0; at = links[arrivedBy[at]].from) route.push(arrivedBy[at]);
    tree.push(route.reverse());
  }
  return tree;
}

/** @param routes between chips of the group; undefined if they do not connect all of them in both directions */
export function groupMachine(
  machine: Topology,
  group: readonly number[],
  routes: readonly SharedRoute[],
): GroupMachine | undefined {
  const nodes = group.map((rank) => machine.chips[rank]);
  const between = group.map(() => group.map((): SharedRoute[] => []));
  for (const route of routes) {
    const ends = [machine.links[route.links[0]].from, machine.links[route.links[route.links.length - 1]].to];
    const [from, to] = ends.map((node) => nodes.indexOf(node));
    between[from][to].push(route);
  }
  const links = between.flatMap((row, from) =>
    row.flatMap((all, to) => (all.length === 0 ? [] : [linkOf(from, to, all, machine)])),
  );
  // Routes exist in both directions, so reachability is symmetric.
  const reached = new Set([0]);
  for (const rank of reached) for (const { from, to } of links) if (from === rank) reached.add(to);
  if (reached.size < group.length) return undefined;
  const topology: Topology = {
    ...machine,
    name: `${machine.name} shared, ${group.join(',')}`,
    nodes: nodes.map((node) => machine.nodes[node]),
    links,
    chips: [...group.keys()],
    shape: undefined,
    groups: [],
  };
  return { topology, waysBetween: (from, to) => between[from][to] };
}

/** The link for several routes: the latency of the slowest, and the sum of their bandwidths. */
function linkOf(from: number, to: number, routes: readonly SharedRoute[], machine: Topology): Link {
  const along = routes.map(({ links }) => links.map((link) => machine.links[link]));
  return {
    ...along[0][0],
    from,
    to,
    latency: Math.max(...along.map((links) => links.reduce((sum, { latency }) => sum + latency, 0))),
    bandwidth: routes.reduce((sum, { bandwidth }) => sum + bandwidth, 0),
    occupancy: along.flat().some(({ occupancy }) => occupancy === 'blocking') ? 'blocking' : 'pipelined',
  };
}

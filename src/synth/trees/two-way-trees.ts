/** Trees for allreduce whose edges are used both ways: contributions are reduced up, and the result comes down again. */
import type { Topology } from '../../ir/topology.ts';
import { sumError } from '../../ir/units.ts';
import { type Connection, packTwoWayTrees } from './matroid-partition.ts';
import type { Tree, TreeEdge } from './pack.ts';

/** More trees than this are not worth their messages. */
const mostTrees = 32;

/**
 * Equal trees over connections between neighbours, as few as carry most: N − 1 of these for each (Nash-Williams 1961).
 * With trees on all links about as many bytes cross each link as the least number of messages asks for, 2(N − 1)M in all
 * (cost/bounds/message-count.ts), whatever links are missing; a reducescatter and an allgather are held up by the chip with the fewest links.
 *
 * @returns or why there are none
 */
export function twoWayTrees(topology: Topology, shouldStop?: () => boolean): readonly Tree[] | string {
  const ranks = topology.chips.length;
  if (topology.nodes.length > ranks) return 'switches are in between';
  const connections = connectionsOf(topology);
  const room = (width: number): Connection[] =>
    connections.map((each) => ({ ...each, capacity: Math.floor((each.capacity / width) * (1 + sumError)) }));
  const fits = (trees: number, width: number): boolean =>
    room(width).reduce((sum, { capacity }) => sum + Math.min(trees, capacity), 0) >= trees * (ranks - 1);
  const capacities = [...new Set(connections.map(({ capacity }) => capacity))];
  const options = Array.from({ length: mostTrees }, (_, others) => {
    const trees = others + 1;
    // One, two, three … of the widest trees are as wide as some connection.
    const all = capacities.flatMap((capacity) => Array.from({ length: trees }, (_part, more) => capacity / (more + 1)));
    const widths = all.filter((width) => fits(trees, width)).sort((a, b) => b - a);
    return { trees, widths, carried: trees * (widths[0] ?? 0) };
  });
  const most = options.reduce((greatest, { carried }) => Math.max(greatest, carried), 0);
  const { trees, widths } = options.find(({ carried }) => carried >= most * (1 - sumError)) ?? options[0];
  for (const width of widths) {
    if (shouldStop?.() === true) break;
    const forest = packTwoWayTrees(ranks, room(width), trees, shouldStop);
    if (forest !== undefined) return forest.map((tree) => fromCentre(ranks, tree, connections));
  }
  return 'there are not as many trees as connections could be, or there was no time';
}

/** What goes between neighbours both ways, over all their links. */
function connectionsOf({ chips, links }: Topology): Connection[] {
  const rankOf = new Map(chips.map((chip, rank) => [chip, rank]));
  const widths = chips.map(() => new Map<number, number>());
  for (const { from, to, bandwidth } of links) {
    const [a, b] = [rankOf.get(from) ?? 0, rankOf.get(to) ?? 0];
    widths[a].set(b, (widths[a].get(b) ?? 0) + bandwidth);
  }
  return widths.flatMap((there, a) =>
    [...there].flatMap(([b, width]) => {
      const back = widths[b].get(a) ?? 0;
      return a < b && back > 0 ? [{ a, b, capacity: Math.min(width, back) }] : [];
    }),
  );
}

/** The tree from the rank on from which it is least high. */
function fromCentre(ranks: number, members: readonly number[], connections: readonly Connection[]): Tree {
  const neighbours: number[][] = Array.from({ length: ranks }, () => []);
  for (const { a, b } of members.map((connection) => connections[connection])) {
    neighbours[a].push(b);
    neighbours[b].push(a);
  }
  const height = ({ edges }: Tree): number => edges.at(-1)?.depth ?? 0;
  const all = neighbours.map((_, root): Tree => ({ root, amount: 1, edges: edgesFrom(root, neighbours) }));
  return all.reduce((best, each) => (height(each) < height(best) ? each : best));
}

/** Breadth first, so that the last one is the deepest. */
function edgesFrom(root: number, neighbours: readonly (readonly number[])[]): TreeEdge[] {
  const edges: TreeEdge[] = [];
  const visit = (from: number, depth: number, before: number): void => {
    for (const to of neighbours[from]) if (to !== before) edges.push({ from, to, depth });
  };
  visit(root, 1, -1);
  for (const { from, to, depth } of edges) visit(to, depth + 1, from);
  return edges;
}

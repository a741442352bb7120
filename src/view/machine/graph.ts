/** The graph of a topology, without latencies and bandwidths, from which the layout is chosen. */
import type { Topology } from '../../ir/topology.ts';

export interface Graph {
  readonly size: number;
  /** `out[node]`: the nodes to which its links lead, ascending and without repetition. */
  readonly out: readonly (readonly number[])[];
  /** Whether every link has one in the opposite direction. */
  readonly duplex: boolean;
  /** Pairs of linked nodes without repetition: unordered if the graph is duplex, else directed. */
  readonly edges: number;
}

export function graphOf(topology: Topology): Graph {
  const sets = topology.nodes.map(() => new Set<number>());
  for (const link of topology.links) sets[link.from].add(link.to);
  const duplex = topology.links.every((link) => sets[link.to].has(link.from));
  const directed = sets.reduce((sum, set) => sum + set.size, 0);
  return {
    size: sets.length,
    out: sets.map((set) => [...set].sort((a, b) => a - b)),
    duplex,
    edges: duplex ? directed / 2 : directed,
  };
}

/** The distance from a node to every node, in links; −1 for unreachable nodes. */
export function distances(graph: Graph, from: number): Int32Array {
  const distance = new Int32Array(graph.size).fill(-1);
  const queue = [from];
  distance[from] = 0;
  for (const node of queue) {
    for (const next of graph.out[node]) {
      if (distance[next] >= 0) continue;
      distance[next] = distance[node] + 1;
      queue.push(next);
    }
  }
  return distance;
}

export function isConnected(graph: Graph): boolean {
  return graph.size > 0 && distances(graph, 0).every((distance) => distance >= 0);
}

/** Whether the graph is a tree of duplex links. */
export function isTree(graph: Graph): boolean {
  return graph.duplex && graph.edges === graph.size - 1 && isConnected(graph);
}

/** The nodes in ring order, from node 0 towards its lowest-numbered neighbour; undefined if the graph is not a ring. */
export function ringOrder(graph: Graph): readonly number[] | undefined {
  const degree = graph.duplex ? 2 : 1;
  if (graph.size < 3 || graph.out.some((next) => next.length !== degree)) return undefined;
  return walk(graph, 0, graph.size);
}

/** The nodes in order along the line, from its lower-numbered end; undefined if the graph is not a line of duplex links. */
export function lineOrder(graph: Graph): readonly number[] | undefined {
  if (graph.size < 2 || !isTree(graph) || graph.out.some((next) => next.length > 2)) return undefined;
  return walk(
    graph,
    graph.out.findIndex((next) => next.length === 1),
    graph.size,
  );
}

/** Walks from neighbour to unvisited neighbour; undefined if the walk does not visit all nodes. */
function walk(graph: Graph, from: number, size: number): readonly number[] | undefined {
  const order = [from];
  const visited = new Set(order);
  for (let next: number | undefined = from; next !== undefined; ) {
    next = graph.out[next].find((node) => !visited.has(node));
    if (next === undefined) break;
    order.push(next);
    visited.add(next);
  }
  return order.length === size ? order : undefined;
}

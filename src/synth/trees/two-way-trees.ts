/** Trees for allreduce whose edges are used both ways: contributions are reduced up, and the result comes down again. */
import { sumError } from '../../ir/units.ts';
import { greatestCommonDivisor } from '../../ir/whole-numbers.ts';
import { tolerance } from '../limits.ts';
import type { CapacityGraph } from './capacities.ts';
import { type Connection, packTwoWayTrees } from './matroid-partition.ts';
import type { Tree, TreeEdge } from './pack.ts';

/** More trees than this are not worth their messages. */
const mostTrees = 32;
/** The number tried where the exact one is too large. */
const usualTrees = 12;

/** Equal trees, and what each takes both ways everywhere, in units of the machine's network. */
export interface TwoWayPacking {
  readonly trees: readonly Tree[];
  readonly width: number;
}

/**
 * Trees over connections between neighbours, as wide as possible: if they fit, as many as fill all connections, which is what the
 * partition into single ranks allows (the tightest on most machines). Undefined for machines with switches, and where links lead one way.
 */
export function twoWayPacking(graph: CapacityGraph, shouldStop?: () => boolean): TwoWayPacking | undefined {
  const connections = connectionsOf(graph);
  if (connections.length === 0) return undefined;
  const units =
    totalOf(connections) / connections.reduce((unit, each) => greatestCommonDivisor(unit, each.capacity), 0);
  const exact = units / greatestCommonDivisor(units, graph.chips - 1);
  const all = exact <= mostTrees ? packed(connections, graph.chips, exact, shouldStop) : undefined;
  if (all !== undefined && carriedBy(all) >= greatestTwoWayRate(graph) * (1 - tolerance)) return all;
  const usual = packed(connections, graph.chips, usualTrees, shouldStop);
  return carriedBy(usual) > carriedBy(all) ? usual : all;
}

function carriedBy(packing: TwoWayPacking | undefined): number {
  return packing === undefined ? 0 : packing.trees.length * packing.width;
}

/** The widest of so many trees: one, two, three … are as wide as some connection. */
function packed(
  connections: readonly Connection[],
  ranks: number,
  number: number,
  shouldStop?: () => boolean,
): TwoWayPacking | undefined {
  const capacities = new Set(connections.map(({ capacity }) => capacity));
  const numbers = Array.from({ length: number }, (_, others) => others + 1);
  const widths = [...capacities].flatMap((capacity) => numbers.map((each) => capacity / each)).sort((a, b) => b - a);
  let best: TwoWayPacking | undefined;
  for (let [low, high] = [0, widths.length]; low < high; ) {
    const middle = (low + high) >> 1;
    const width = widths[middle];
    const room = connections.map((each) => {
      return { ...each, capacity: Math.min(number, Math.floor((each.capacity / width) * (1 + sumError))) };
    });
    const forest = totalOf(room) < number * (ranks - 1) ? undefined : packTwoWayTrees(ranks, room, number, shouldStop);
    if (forest === undefined) low = middle + 1;
    else [high, best] = [middle, { trees: forest.map((tree) => rooted(tree, connections, ranks)), width }];
  }
  return best;
}

/** What all two-way trees together can carry at most: each takes N − 1 connections, of all that there are (Nash-Williams 1961). */
export function greatestTwoWayRate(graph: CapacityGraph): number {
  return totalOf(connectionsOf(graph)) / (graph.chips - 1);
}

/** Connections between neighbours; none where switches are in between. */
function connectionsOf({ nodes, chips, capacity }: CapacityGraph): Connection[] {
  const connections: Connection[] = [];
  if (nodes !== chips) return connections;
  for (let a = 0; a < chips; a++) {
    for (let b = a + 1; b < chips; b++) {
      const both = Math.min(capacity[a * chips + b], capacity[b * chips + a]);
      if (both > 0) connections.push({ a, b, capacity: both });
    }
  }
  return connections;
}

function totalOf(connections: readonly Connection[]): number {
  return connections.reduce((sum, { capacity }) => sum + capacity, 0);
}

/** The tree with its root at its centre, where it is least high. */
function rooted(tree: readonly number[], connections: readonly Connection[], ranks: number): Tree {
  const neighbours: number[][] = Array.from({ length: ranks }, () => []);
  for (const { a, b } of tree.map((connection) => connections[connection])) {
    neighbours[a].push(b);
    neighbours[b].push(a);
  }
  const height = (edges: readonly TreeEdge[]): number => edges[edges.length - 1].depth;
  const all = neighbours.map((_, root) => edgesFrom(root, neighbours));
  const edges = all.reduce((best, each) => (height(each) < height(best) ? each : best));
  return { root: edges[0].from, amount: 1, edges };
}

/** The edges of a tree from a root on, breadth first, so that the last one is the deepest. */
export function edgesFrom(root: number, neighbours: readonly (readonly number[])[]): TreeEdge[] {
  const edges: TreeEdge[] = [];
  const visit = (from: number, depth: number, before: number): void => {
    for (const to of neighbours[from]) if (to !== before) edges.push({ from, to, depth });
  };
  visit(root, 1, -1);
  for (const { from, to, depth } of edges) visit(to, depth + 1, from);
  return edges;
}

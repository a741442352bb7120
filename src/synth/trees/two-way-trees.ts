/** Trees for allreduce whose edges are used both ways: contributions are reduced up, and the result comes down again. */
import { sumError } from '../../ir/units.ts';
import { greatestCommonDivisor } from '../../ir/whole-numbers.ts';

import type { CapacityGraph } from './capacities.ts';
import { type Connection, packTwoWayTrees } from './matroid-partition.ts';
import type { Tree, TreeEdge } from './pack.ts';

/** Halvings in the search for the greatest width. */
const widthHalvings = 16;

/** What a machine's connections carry both ways, in as many equal trees as there should be. */
export interface TwoWayPacking {
  readonly trees: readonly Tree[];
  /** Units of the machine's network that each tree takes both ways everywhere. */
  readonly width: number;
}

/** More trees than this are not worth their messages. */
const mostTrees = 32;
/** The number tried where the exact one is too large or does not fit. */
const usualTrees = 12;

/**
 * Trees over connections between neighbours, as wide as possible: those of the partition into single ranks where they fit (that
 * is the tightest on most machines), else nearly as wide as possible. Undefined for machines with switches, and where links lead one way.
 */
export function twoWayPacking(graph: CapacityGraph, shouldStop?: () => boolean): TwoWayPacking | undefined {
  const { chips } = graph;
  const connections = connectionsOf(graph);
  const total = totalOf(connections);
  const unit = connections.reduce((common, each) => greatestCommonDivisor(common, each.capacity), 0);
  if (unit === 0) return undefined;
  const fitting = (trees: number, width: number): TwoWayPacking | undefined => {
    const room = connections.map((each) => ({
      ...each,
      capacity: Math.floor((each.capacity / width) * (1 + sumError)),
    }));
    if (room.reduce((sum, each) => sum + Math.min(trees, each.capacity), 0) < trees * (chips - 1)) return undefined;
    const forest = packTwoWayTrees(chips, room, trees, shouldStop);
    return forest === undefined ? undefined : { trees: forest.map((tree) => rooted(tree, connections, chips)), width };
  };
  const exact = total / unit / greatestCommonDivisor(total / unit, chips - 1);
  const packing = exact <= mostTrees ? fitting(exact, total / (chips - 1) / exact) : undefined;
  if (packing !== undefined) return packing;
  let best: TwoWayPacking | undefined;
  let [low, high] = [0, total / (chips - 1) / usualTrees];
  for (let halving = 0; halving < widthHalvings; halving++) {
    const middle = (low + high) / 2;
    const found = fitting(usualTrees, middle);
    if (found === undefined) high = middle;
    else [low, best] = [middle, found];
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
  let best: TreeEdge[] = [];
  for (let root = 0; root < ranks; root++) {
    const edges = edgesFrom(root, neighbours);
    const height = (of: readonly TreeEdge[]): number => of[of.length - 1].depth;
    if (best.length === 0 || height(edges) < height(best)) best = edges;
  }
  return { root: best[0].from, amount: 1, edges: best };
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

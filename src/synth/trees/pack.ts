/**
 * Packing spanning out-trees into capacities. Trees grow edge by edge, many equal ones at a time; an edge is taken for as
 * many of them as leave enough capacity for the rest, which one maximum flow tells (Bérczi and Frank, "Packing
 * arborescences", 2010; Schrijver, "Combinatorial Optimization", §53.10; batches as in Zhao et al., "ForestColl", 2024).
 */
import type { ShouldStop } from '../../ir/effort.ts';
import { perOperation } from '../limits.ts';
import type { Root } from '../shares.ts';
import { advance, type Batch, extend, splitOff, sprout, type TreeEdge } from './batch.ts';
import { Demands } from './demands.ts';
import type { TreeProblem } from './scale.ts';

/** Equal trees of one root. */
export interface Tree {
  readonly root: number;
  /** How many there are. */
  readonly amount: number;
  /** In an order in which every edge starts at the root or where an earlier one ends. */
  readonly edges: readonly TreeEdge[];
}

/**
 * Trees for every root that together use no edge beyond its capacity. All grow by turns, those first that are least deep,
 * so that no root is left with long ways only. Undefined when they do not fit, or when there was no time.
 *
 */
export function packTrees(problem: TreeProblem, shouldStop?: ShouldStop): readonly Tree[] | undefined {
  const { graph, roots, trees } = problem;
  const stars = starsOf(problem);
  if (stars !== undefined) return stars;
  const capacity = graph.capacity.slice();
  const growing = roots.map(({ rank, share }) => sprout(rank, share * trees, graph.chips));
  const demands = new Demands(graph.chips, capacity, growing);
  const done: Batch[] = [];
  while (growing.length > 0) {
    if (shouldStop?.(demands.newWork() / perOperation.links) === true) return undefined;
    const batch = leastGrown(growing);
    const grown = grow(batch, capacity, graph.chips, demands);
    if (grown === undefined) return undefined;
    growing.push(...grown);
    if (batch.joined.length < graph.chips) continue;
    demands.finished(batch);
    growing.splice(growing.indexOf(batch), 1);
    done.push(batch);
  }
  done.sort((a, b) => a.root - b.root);
  return done.map(({ root, amount, edges }) => ({ root, amount, edges }));
}

/** Every root straight to everyone, where there is room for that. */
function starsOf({ graph: { chips, capacity }, roots, trees }: TreeProblem): Tree[] | undefined {
  const ends = Array.from({ length: chips }, (_, chip) => chip);
  const lacks = ({ rank, share }: Root): boolean =>
    ends.some((to) => to !== rank && capacity[rank * chips + to] < share * trees);
  if (roots.some(lacks)) return undefined;
  return roots.map(({ rank, share }) => {
    const edges = ends.filter((to) => to !== rank).map((to) => ({ from: rank, to, depth: 1 }));
    return { root: rank, amount: share * trees, edges };
  });
}

/** The batch whose next edges are nearest to its root, of several the one with the fewest nodes. */
function leastGrown(batches: readonly Batch[]): Batch {
  const depth = ({ depth: depths, joined, cursor }: Batch): number => depths[joined[cursor]];
  return batches.reduce((least, batch) => {
    const closer = depth(batch) - depth(least);
    return closer < 0 || (closer === 0 && batch.joined.length < least.joined.length) ? batch : least;
  });
}

/** Adds one edge to the trees of a batch. Where only some of them can have it, the rest are returned. */
function grow(batch: Batch, capacity: Float64Array, ranks: number, demands: Demands): Batch[] | undefined {
  for (; batch.cursor < batch.joined.length; advance(batch)) {
    const from = batch.joined[batch.cursor];
    for (;;) {
      const to = widest(batch, from, capacity, ranks);
      if (to === -1) break;
      const amount = demands.spare(batch, from, to);
      if (amount === 0) {
        batch.blocked.add(to);
        continue;
      }
      const rest = amount === batch.amount ? [] : [splitOff(batch, amount, to)];
      for (const others of rest) demands.divided(others);
      capacity[from * ranks + to] -= amount;
      extend(batch, from, to);
      demands.extended(batch, to);
      return rest;
    }
  }
  return undefined;
}

/** The end of the widest edge out of the trees from a node, or −1; of equal ones the next in number, or as chance will have it. */
function widest({ depth, blocked }: Batch, from: number, capacity: Float64Array, ranks: number): number {
  let best = -1;
  let most = 0;
  for (let shift = 1; shift < ranks; shift++) {
    const to = (from + shift) % ranks;
    const amount = capacity[from * ranks + to];
    if (amount === 0 || depth[to] >= 0 || blocked.has(to)) continue;
    if (amount <= most) continue;
    best = to;
    most = amount;
  }
  return best;
}

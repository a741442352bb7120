/**
 * Packing spanning out-trees into capacities. Trees grow edge by edge, many equal ones at a time; an edge is taken for as
 * many of them as leave enough capacity for the rest, which one maximum flow tells (Bérczi and Frank, "Packing
 * arborescences", 2010; Schrijver, "Combinatorial Optimization", §53.10; batches as in Zhao et al., "ForestColl", 2024).
 */
import type { ShouldStop } from '../../ir/effort.ts';
import { perOperation } from '../limits.ts';
import type { Root } from '../shares.ts';
import { type Batch, Demands } from './demands.ts';
import type { TreeProblem } from './scale.ts';

export interface TreeEdge {
  readonly from: number;
  readonly to: number;
  /** 1 for edges from the root. */
  readonly depth: number;
}

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
 */
export function packTrees(problem: TreeProblem, shouldStop?: ShouldStop): readonly Tree[] | undefined {
  const stars = starsOf(problem);
  if (stars !== undefined) return stars;
  const { chips } = problem.graph;
  const demands = new Demands(problem);
  const growing = problem.roots.map(({ rank, share }) => sprout(rank, share * problem.trees, chips));
  for (const batch of growing) demands.add(batch);
  const done: Sprout[] = [];
  while (growing.length > 0) {
    if (shouldStop?.(demands.newWork() / perOperation.links) === true) return undefined;
    const batch = leastGrown(growing);
    const rest = grow(batch, chips, demands);
    if (rest === undefined) return undefined;
    growing.push(...rest);
    if (batch.joined.length < chips) continue;
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

/** Nodes are looked at in the order in which they joined; since that is by depth, trees stay as shallow as they can. */
interface Sprout extends Batch {
  readonly root: number;
  readonly edges: TreeEdge[];
  /** The node in `joined` whose edges are being looked at. */
  cursor: number;
  /** Ends of edges from there that cannot be used. Where no capacity can be spared, it never can be again. */
  blocked: Set<number>;
}

/** Trees that are nothing but their root. */
function sprout(root: number, amount: number, ranks: number): Sprout {
  const depth = new Int32Array(ranks).fill(-1);
  depth[root] = 0;
  return { root, amount, joined: [root], depth, edges: [], cursor: 0, blocked: new Set() };
}

/** Leaves so many trees in a batch; the others, which cannot have the edge to a node, become a batch of their own. */
function splitOff(batch: Sprout, amount: number, to: number): Sprout {
  const rest: Sprout = {
    ...batch,
    amount: batch.amount - amount,
    joined: [...batch.joined],
    depth: batch.depth.slice(),
    edges: [...batch.edges],
    blocked: new Set([...batch.blocked, to]),
  };
  batch.amount = amount;
  return rest;
}

/** The batch whose next edges are nearest to its root, of several the one with the fewest nodes. */
function leastGrown(batches: readonly Sprout[]): Sprout {
  const depth = ({ depth: depths, joined, cursor }: Sprout): number => depths[joined[cursor]];
  return batches.reduce((least, batch) => {
    const closer = depth(batch) - depth(least);
    return closer < 0 || (closer === 0 && batch.joined.length < least.joined.length) ? batch : least;
  });
}

/** Adds one edge to the trees of a batch. Where only some of them can have it, the rest are returned. */
function grow(batch: Sprout, ranks: number, demands: Demands): Sprout[] | undefined {
  for (; batch.cursor < batch.joined.length; batch.cursor++, batch.blocked = new Set()) {
    const from = batch.joined[batch.cursor];
    for (let to = widest(batch, from, ranks, demands); to !== -1; to = widest(batch, from, ranks, demands)) {
      const amount = demands.spare(batch, from, to);
      if (amount === 0) {
        batch.blocked.add(to);
        continue;
      }
      const rest = amount === batch.amount ? [] : [splitOff(batch, amount, to)];
      for (const others of rest) demands.add(others);
      batch.depth[to] = batch.depth[from] + 1;
      batch.joined.push(to);
      batch.edges.push({ from, to, depth: batch.depth[to] });
      demands.extended(batch, from, to);
      return rest;
    }
  }
  return undefined;
}

/** The end of the widest edge out of the trees from a node, or −1; of equal ones the next in number. */
function widest({ depth, blocked }: Sprout, from: number, ranks: number, { capacity }: Demands): number {
  let [best, most] = [-1, 0];
  for (let shift = 1; shift < ranks; shift++) {
    const to = (from + shift) % ranks;
    const amount = capacity[from * ranks + to];
    if (amount > most && depth[to] < 0 && !blocked.has(to)) [best, most] = [to, amount];
  }
  return best;
}

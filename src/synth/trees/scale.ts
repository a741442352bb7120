/**
 * How many trees each root gets, and what capacity is in trees. With the exact rate p/q per root, p trees of bandwidth 1/q
 * fit where capacities are multiplied by q (Zhao et al., "ForestColl", 2024, §5.2). Where that is too many, a smaller number
 * of wider trees is chosen: a link takes as many as fit in it entirely.
 */

import { type Effort, partOfWork, type ShouldStop } from '../../ir/effort.ts';
import { sumError } from '../../ir/units.ts';
import { tolerance } from '../limits.ts';
import type { Root } from '../shares.ts';
import type { CapacityGraph } from './capacities.ts';
import { canSpread, type Rate } from './rate.ts';

/** Capacities in trees: every root has `trees` trees for each unit of its share to spread over the whole graph. */
export interface TreeProblem {
  readonly graph: CapacityGraph;
  readonly roots: readonly Root[];
  /** Trees for each unit of a root's share. */
  readonly trees: number;
  /** Capacity of the machine that one tree takes everywhere. */
  readonly width: number;
}

/**
 * Arcs that flows of a packing may have to look at, for each time that they look: about half a minute, or a tenth of a second. What many
 * narrow trees gain, a quick search loses in bulks that it has no time for.
 */
const packingWork = 4e8;
/** What may be lost, as a part of the exact rate, by taking fewer trees. */
const tolerableLoss = { quick: 0.04, full: tolerance } as const;
/** Halvings in the search for the greatest width of a given number of trees. */
export const widthHalvings = 16;
/** Numbers of trees for each root that are tried where none loses next to nothing; more are not worth their messages. */
const numbersOfTrees: readonly number[] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];
const mostTrees = Math.max(...numbersOfTrees);

/**
 * The problem with the number of trees that reaches the exact rate, or nearly does; undefined where there is none.
 *
 * @param rate what no root can exceed
 * @param trees the number to use instead, as wide as possible
 */
export function scaleToTrees(
  graph: CapacityGraph,
  roots: readonly Root[],
  rate: Rate,
  trees: number | undefined,
  effort: Effort,
  shouldStop?: ShouldStop,
): TreeProblem | undefined {
  if (rate.amount === 0) return undefined;
  const exact = rate.amount / rate.roots;
  if (trees !== undefined) return widest(graph, roots, trees, exact / trees, shouldStop);
  const entrances = entrancesOf(graph, roots);
  const options = Array.from({ length: mostTreesFor(graph, roots, effort) }, (_, fewer) => {
    return { trees: fewer + 1, width: widthInto(entrances, fewer + 1, exact / (fewer + 1)) };
  });
  const enough = exact * (1 - tolerableLoss[effort]);
  for (const least of [exact * (1 - sumError), enough]) {
    const suited = options.filter((option) => option.trees * option.width >= least);
    for (const option of suited) {
      const problem = ofWidth(graph, roots, option.trees, option.width);
      if (canSpread(problem.graph, roots, problem.trees, shouldStop)) return problem;
    }
  }
  let best: TreeProblem | undefined;
  for (const { trees: fewer, width } of options) {
    if (!numbersOfTrees.includes(fewer) || fewer * width <= throughput(best)) continue;
    if (best !== undefined && (shouldStop?.() === true || throughput(best) >= enough)) break;
    const problem = widest(graph, roots, fewer, width, shouldStop);
    if (throughput(problem) > throughput(best)) best = problem;
  }
  return best;
}

/** What all trees of a root carry; 0 where there are none. */
function throughput(problem: TreeProblem | undefined): number {
  return problem === undefined ? 0 : problem.trees * problem.width;
}

/** The links into a chip, and how many trees have to come in by them for each tree of a unit. */
interface Entrance {
  readonly capacities: readonly number[];
  readonly wanted: number;
}

function entrancesOf({ nodes, chips, capacity }: CapacityGraph, roots: readonly Root[]): readonly Entrance[] {
  const wanted = new Float64Array(chips).fill(roots.reduce((sum, { share }) => sum + share, 0));
  for (const { rank, share } of roots) wanted[rank] -= share;
  return Array.from(wanted, (each, chip) => {
    const entering = Array.from({ length: nodes }, (_, from) => capacity[from * nodes + chip]);
    return { capacities: entering.filter((amount) => amount > 0), wanted: each };
  });
}

/** The greatest width, up to a given one, of so many trees that what every chip wants fits into its links: that is soon told, unlike flows. */
function widthInto(entrances: readonly Entrance[], trees: number, most: number): number {
  let width = most;
  for (const { capacities, wanted } of entrances) {
    if (capacities.length === 0 && wanted > 0) return 0;
    while (capacities.reduce((sum, amount) => sum + treesIn(amount, width), 0) < trees * wanted) {
      width = capacities.reduce((next, amount) => Math.max(next, amount / (treesIn(amount, width) + 1)), 0);
    }
  }
  return width;
}

/** Trees per root that can be packed in reasonable time; 0 where not even one can, in however much of it. */
export function mostTreesFor(graph: CapacityGraph, roots: readonly Root[], effort: Effort): number {
  return (
    treesWithin(packingWork * partOfWork[effort], graph, roots) || Math.min(1, treesWithin(packingWork, graph, roots))
  );
}

function treesWithin(work: number, { nodes, chips, capacity }: CapacityGraph, roots: readonly Root[]): number {
  const links = nodes > chips ? chips * (chips - 1) : capacity.reduce((count, each) => count + Math.sign(each), 0);
  let trees = mostTrees;
  for (; trees > 0; trees--) {
    // Every edge of every tree is a flow, over all links and from all trees to the ranks that they have reached.
    const edges = trees * roots.length * chips;
    if (edges * (links + edges / 2) <= work) break;
  }
  return trees;
}

/** As wide trees as possible, up to a width, when each root gets so many. */
function widest(
  graph: CapacityGraph,
  roots: readonly Root[],
  trees: number,
  most: number,
  shouldStop: ShouldStop | undefined,
): TreeProblem | undefined {
  let best = ofWidth(graph, roots, trees, most);
  if (canSpread(best.graph, roots, trees, shouldStop)) return best;
  let [low, high] = [0, most];
  for (let halving = 0; halving < widthHalvings; halving++) {
    if (shouldStop?.() === true) break;
    const middle = (low + high) / 2;
    const problem = ofWidth(graph, roots, trees, middle);
    if (canSpread(problem.graph, roots, trees, shouldStop)) [low, best] = [middle, problem];
    else high = middle;
  }
  return low === 0 ? undefined : best;
}

function ofWidth(graph: CapacityGraph, roots: readonly Root[], trees: number, width: number): TreeProblem {
  const capacity = graph.capacity.map((amount) => treesIn(amount, width));
  return { graph: { ...graph, capacity }, roots, trees, width };
}

/** Trees that fit into a capacity. */
function treesIn(amount: number, width: number): number {
  return Math.floor((amount / width) * (1 + sumError));
}

/**
 * How many trees each root gets, and what capacity is in trees. With the exact rate p/q per root, p trees of bandwidth 1/q
 * fit where capacities are multiplied by q (Zhao et al., "ForestColl", 2024, §5.2). Where that is too many, a smaller number
 * of wider trees is chosen: a link takes as many as fit in it entirely.
 */
import type { Effort } from '../../ir/effort.ts';
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

/** More trees than this for one root are not worth their messages. */
const mostTreesOfAll = 64;
/**
 * Arcs that flows of a packing may have to look at, for each time that they look: about half a minute, or a tenth of a second. What many
 * narrow trees gain, a quick search loses in bulks that it has no time for.
 */
const packingWork = { quick: 1.6e7, full: 6e8 } as const;
/** The same for quick searches where there is one root: its trees are few, and flows end sooner. */
const packingWorkOfOne = 5e7;
/** What may be lost, as a part of the exact rate, by taking fewer trees. */
const tolerableLoss = 0.01;
/** Halvings in the search for the greatest width of a given number of trees. */
const widthHalvings = 24;
/** Numbers of trees tried where the exact one is too large. */
const fewerTrees = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

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
  shouldStop?: () => boolean,
): TreeProblem | undefined {
  if (rate.amount === 0) return undefined;
  if (trees !== undefined) return withTrees(graph, roots, trees, rate, shouldStop);
  const mostTrees = mostTreesFor(graph, roots, effort);
  const numbers = fewerTrees.filter((fewer) => fewer <= mostTrees);
  const fewerAreEnough = numbers.find((fewer) => fewer < rate.amount && isExact(graph, roots, rate, fewer));
  if (fewerAreEnough !== undefined) return withTrees(graph, roots, fewerAreEnough, rate, shouldStop);
  if (rate.amount <= mostTrees && isExact(graph, roots, rate, rate.amount)) {
    return ofWidth(graph, roots, rate.amount, 1 / rate.roots);
  }
  let best: TreeProblem | undefined;
  for (const fewer of numbers) {
    if (best !== undefined && shouldStop?.() === true) break;
    const problem = withTrees(graph, roots, fewer, rate, shouldStop);
    if (problem === undefined) continue;
    if (best === undefined || problem.width * problem.trees > best.width * best.trees) best = problem;
    if (best.width * best.trees * rate.roots >= rate.amount * (1 - tolerableLoss)) break;
  }
  return best;
}

/** Trees per root that can be packed in reasonable time; 0 where not even one can, in however much of it. */
export function mostTreesFor(graph: CapacityGraph, roots: readonly Root[], effort: Effort): number {
  const work = effort === 'quick' && roots.length === 1 ? packingWorkOfOne : packingWork[effort];
  return treesWithin(work, graph, roots) || Math.min(1, treesWithin(packingWork.full, graph, roots));
}

function treesWithin(work: number, { nodes, chips, capacity }: CapacityGraph, roots: readonly Root[]): number {
  const links = nodes > chips ? chips * (chips - 1) : capacity.reduce((count, each) => count + Math.sign(each), 0);
  let trees = mostTreesOfAll;
  for (; trees > 0; trees--) {
    // Every edge of every tree is a flow, over all links and from all trees to the ranks that they have reached.
    const edges = trees * roots.length * chips;
    if (edges * (links + edges / 2) <= work) break;
  }
  return trees;
}

/** As wide trees as possible, when each root gets so many. */
function withTrees(
  graph: CapacityGraph,
  roots: readonly Root[],
  trees: number,
  rate: Rate,
  shouldStop: (() => boolean) | undefined,
): TreeProblem | undefined {
  const exact = rate.amount / rate.roots / trees;
  let best = ofWidth(graph, roots, trees, exact);
  if (canSpread(best.graph, roots, trees)) return best;
  let [low, high] = [0, exact];
  for (let halving = 0; halving < widthHalvings; halving++) {
    if (shouldStop?.() === true) break;
    const middle = (low + high) / 2;
    const problem = ofWidth(graph, roots, trees, middle);
    if (canSpread(problem.graph, roots, trees)) [low, best] = [middle, problem];
    else high = middle;
  }
  return low === 0 ? undefined : best;
}

/** Whether so many trees reach the greatest rate. */
function isExact(
  graph: CapacityGraph,
  roots: readonly Root[],
  { amount, roots: shared }: Rate,
  trees: number,
): boolean {
  return canSpread(ofWidth(graph, roots, trees, amount / shared / trees).graph, roots, trees);
}

function ofWidth(graph: CapacityGraph, roots: readonly Root[], trees: number, width: number): TreeProblem {
  // A quotient that is whole but for rounding counts as whole.
  const capacity = graph.capacity.map((amount) => Math.floor((amount / width) * (1 + 1e-12)));
  return { graph: { ...graph, capacity }, roots, trees, width };
}

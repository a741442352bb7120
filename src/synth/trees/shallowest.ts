/** Of several packings the one with the least high trees: what a pipeline of bulks needs to fill goes with their height. */
import type { Effort, ShouldStop } from '../../ir/effort.ts';
import { Random } from '../../ir/random.ts';
import { packTrees, type Tree } from './pack.ts';
import type { TreeProblem } from './scale.ts';

/** Packings that are tried at most, and edges in all of them together. */
const mostAttempts = { quick: 4, full: 16 } as const;
const mostEdges = { quick: 2_000, full: 8_000 } as const;

/** Packs trees, small problems several times with edges taken in an order at random; the same seed gives the same trees. */
export function shallowestTrees(
  problem: TreeProblem,
  seed: number,
  effort: Effort,
  shouldStop?: ShouldStop,
): readonly Tree[] | undefined {
  let best = packTrees(problem, shouldStop);
  const random = new Random(seed);
  const edges = problem.roots.length * problem.trees * problem.graph.chips;
  const attempts = Math.min(mostAttempts[effort], Math.floor(mostEdges[effort] / edges));
  for (let attempt = 1; attempt < attempts && best !== undefined && heightOf(best) > 1; attempt++) {
    const other = packTrees(problem, shouldStop, random);
    if (other === undefined) break;
    if (isBetter(other, best)) best = other;
  }
  return best;
}

/** Less high, or else with fewer links on the way from the roots on average, or with fewer messages. */
function isBetter(a: readonly Tree[], b: readonly Tree[]): boolean {
  const [heights, depths] = [heightOf(a) - heightOf(b), depthsOf(a) - depthsOf(b)];
  if (heights !== 0) return heights < 0;
  return depths !== 0 ? depths < 0 : a.length < b.length;
}

function heightOf(trees: readonly Tree[]): number {
  return trees.reduce((most, { edges }) => edges.reduce((deepest, { depth }) => Math.max(deepest, depth), most), 0);
}

function depthsOf(trees: readonly Tree[]): number {
  return trees.reduce((sum, { amount, edges }) => sum + amount * edges.reduce((each, { depth }) => each + depth, 0), 0);
}

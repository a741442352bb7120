/**
 * Plans with bitwise equal results: those that combine all chunks by the same reduction tree. The tree whose plans are
 * fastest over all sizes is chosen.
 */
import type { Limits } from '../ir/limits.ts';
import type { Schedule } from '../ir/schedule.ts';
import type { Bytes } from '../ir/units.ts';
import type { EvaluatedCandidate } from '../search/evaluate/index.ts';
import { reductionTrees } from '../verify/index.ts';
import { bestAt } from './ranges.ts';
import type { TunedPlan } from './timed-plan.ts';

export interface OneTree {
  readonly plans: readonly TunedPlan[];
  /** The tree of each rank, with ranks as leaves; empty if nothing is rounded. */
  readonly tree: string;
}

/**
 * The tree whose plans have the least time, in geometric mean over the sizes; undefined if no plan combines all its
 * chunks by one tree.
 */
export function ofOneTree(pool: readonly TunedPlan[], sizes: readonly Bytes[], limits: Limits): OneTree | undefined {
  const byTree = new Map<string, TunedPlan[]>();
  for (const plan of pool) {
    const tree = treeOf(plan.evaluated, limits);
    if (tree !== undefined) byTree.set(tree, [...(byTree.get(tree) ?? []), plan]);
  }
  let best: (OneTree & { readonly logarithms: number }) | undefined;
  for (const [tree, plans] of byTree) {
    const times = sizes.map((size) => bestAt(plans, size).secondsAt(size));
    const logarithms = times.reduce((sum, seconds) => sum + Math.log(Math.max(seconds, 1e-30)), 0);
    if (best === undefined || logarithms < best.logarithms) best = { tree, plans, logarithms };
  }
  return best;
}

/** Cached by schedule: the number of bulks does not change the tree, since a plan runs the same program for each. */
const known = new WeakMap<Schedule, { readonly tree: string | undefined }>();

function treeOf({ schedule, checked }: EvaluatedCandidate, { slots }: Limits): string | undefined {
  const before = known.get(schedule);
  if (before !== undefined) return before.tree;
  const tree = reductionTrees(checked.plan, slots);
  known.set(schedule, { tree });
  return tree;
}

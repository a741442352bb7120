/**
 * Messages of unequal sizes: filling and draining a pipeline takes less time if its first and last messages are small
 * (docs/sizes.md).
 */

import { operationCount } from '../../../ir/plan.ts';
import type { Routes } from '../../../ir/routes.ts';
import { ranksOf } from '../../../ir/topology.ts';
import type { Seconds } from '../../../ir/units.ts';
import { fitsFastMemory, lower } from '../../../lower/index.ts';
import { simulate } from '../../../model/index.ts';
import { resize, unroll } from '../../../passes/index.ts';
import { candidateOf, maxFailures, maxRanksFor, worthwhile } from '../../../synth/index.ts';
import { checkByKernel } from '../../../verify/index.ts';
import { nearEnough } from '../effort.ts';
import type { EvaluatedCandidate, EvaluationRequest } from '../evaluate-candidate.ts';
import {
  bestSizes,
  emptyClasses,
  fasterOf,
  type Sized,
  type SizeSearch,
  withoutSmall,
  workBudget,
} from './best-sizes.ts';
import { tapered } from './tapered.ts';
import { minChunkCounts } from './whole-sizes.ts';

/** Budget of the whole search, in simulated operations. */
const mostEffort = 150_000;
/** The maximum number of operations of a plan after its slices have been unrolled. */
const mostOperations = 3000;
/** Numbers of slices that are tried. */
const slicings = [1, 2, 3, 4, 6, 8, 12] as const;

/**
 * Cuts the shards of a plan into chunks of unequal size, or tapers its bulks.
 * @param target a lower bound on the time of any plan, near which the search ends
 * @returns undefined if no sizes gain enough, or if the user gave the number of chunks; if the number of bulks is
 * given, only sizes change
 */
export function withBestSizes(
  plan: EvaluatedCandidate,
  request: EvaluationRequest,
  routes: Routes,
  target: Seconds,
): EvaluatedCandidate | undefined {
  const { topology, chunks, bulks, size, inEqualBulks } = request;
  const { seconds } = plan.cost;
  const isFixed =
    topology.lane !== undefined || chunks !== undefined || plan.checked.plan.collective.counts !== undefined;
  if (isFixed || ranksOf(topology) > maxRanksFor.programs || seconds <= target * nearEnough) return undefined;
  const incumbent = seconds * worthwhile;
  const search = (): SizeSearch => ({ routes, size, incumbent, spend: workBudget(mostEffort, request) });
  const made = [];
  if (inEqualBulks !== true && bulks !== 1) made.push(taperedBulks(plan, request, search()));
  if (bulks === 'auto' || bulks === 1) made.push(inSlices(plan, request, search()));
  const [best] = made.flatMap((found) => found ?? []).sort((a, b) => a.cost.seconds - b.cost.seconds);
  return best !== undefined && best.cost.seconds < incumbent ? best : undefined;
}

/** Synchronised steps do not overlap however they are cut. */
function canBeSliced({ schedule, checked }: EvaluatedCandidate, slices: number): boolean {
  return slices === 1 || (schedule.inStep !== true && slices * operationCount(checked.plan) <= mostOperations);
}

/** Tries more and more slices, each with its best sizes, while that gains. */
function inSlices(
  plan: EvaluatedCandidate,
  request: EvaluationRequest,
  search: SizeSearch,
): EvaluatedCandidate | undefined {
  let best: Sized | undefined;
  let failures = 0;
  for (const slices of slicings) {
    const sized = canBeSliced(plan, slices) ? bestSizes(unroll(plan.schedule, slices), true, search) : undefined;
    if (sized === undefined) break;
    const before = best;
    if (before === undefined || sized.seconds < before.seconds * nearEnough)
      best = fasterOf(withoutSmall(sized, search), before);
    if (best === before) failures++;
    const { count } = sized.sizing.classes;
    // The chunks that the sizes leave unused are fewer than one slice.
    const isUsed = (count - emptyClasses(sized).length) * slices > count * (slices - 1);
    if ((slices > 1 && !isUsed) || failures === maxFailures) break;
  }
  if (best === undefined) return undefined;
  const { schedule, classes } = best.sizing;
  // Only shards that are cut differently from each other remain to be improved.
  const polished = classes.shards.length === 1 ? best : fasterOf(best, bestSizes(schedule, false, search));
  // Sizes of the first shard, in chunks; the others may differ.
  const [first] = polished.sizing.classes.shards;
  return inWholeChunks(plan, polished, 'sized', request, search, (counts) => ({
    sizes: Array.from(first, (of) => counts[of]).filter((count) => count > 0),
  }));
}

function taperedBulks(
  plan: EvaluatedCandidate,
  request: EvaluationRequest,
  search: SizeSearch,
): EvaluatedCandidate | undefined {
  const { bulks } = plan.checked.plan;
  const found = canBeSliced(plan, bulks) ? tapered(plan, search) : undefined;
  if (found === undefined) return undefined;
  return inWholeChunks(plan, found.sized, 'tapered', request, search, () => ({
    taperedBulks: bulks,
    ...found.taper,
    equalBulksSeconds: plan.cost.seconds,
    oneBulkSeconds: simulate({ ...plan.checked.plan, bulks: 1 }, search.routes, search.size).seconds,
  }));
}

/**
 * The plan with sizes rounded to as few whole chunks as possible; undefined if it is not correct, or rounding loses the
 * gain.
 * @param details the description for reports
 */
function inWholeChunks(
  { candidate: { origin, name }, checked: { plan } }: EvaluatedCandidate,
  sized: Sized,
  suffix: 'sized' | 'tapered',
  { topology, limits }: EvaluationRequest,
  { routes, size, incumbent }: SizeSearch,
  details: (counts: Int32Array) => Readonly<Record<string, number | readonly number[]>>,
): EvaluatedCandidate | undefined {
  const { schedule: equal, classes, shardBytes } = sized.sizing;
  const counts =
    sized.seconds < incumbent ? minChunkCounts(sized, shardBytes / (topology.messages?.alignment ?? 0)) : undefined;
  if (counts === undefined) return undefined;
  const schedule = resize(equal, classes, counts);
  const lowered = lower(schedule, { name: plan.name });
  if (!fitsFastMemory(lowered, topology, size)) return undefined;
  const { checked } = checkByKernel(lowered, { topology, slots: limits.slots });
  if (checked === undefined) return undefined;
  const candidate = candidateOf(schedule, { ...origin, tuned: 'sizes', ...details(counts) }, `${name}, ${suffix}`);
  return { kind: 'priced', candidate, schedule, checked, cost: simulate(lowered, routes, size) };
}

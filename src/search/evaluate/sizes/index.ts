/** Messages of unequal sizes: what the ends of a pipeline take is less where its last messages are small (docs/sizes.md). */

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

/** Operations that may be simulated in all. */
const mostEffort = 150_000;
/** Plans with all slices written out are not larger. */
const mostOperations = 3000;
/** Numbers of slices that a plan is tried in. */
const slicings = [1, 2, 3, 4, 6, 8, 12] as const;

/**
 * Cuts the shards of a plan in chunks of unequal size, or its bulks so that these taper.
 *
 * @param target no plan can be faster: there is nothing to gain near it
 * @returns undefined where no sizes gain anything worthwhile, or the user has said into how many chunks to cut; of bulks that are asked for only the sizes change
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

/** Steps that keep ranks together do not overlap, however they are cut. */
function canBeSliced({ schedule, checked }: EvaluatedCandidate, slices: number): boolean {
  return slices === 1 || (schedule.inStep !== true && slices * operationCount(checked.plan) <= mostOperations);
}

/** In more and more slices, each with its best sizes, as long as that gains. */
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
    // Chunks are left over for less than one slice.
    const isUsed = (count - emptyClasses(sized).length) * slices > count * (slices - 1);
    if ((slices > 1 && !isUsed) || failures === maxFailures) break;
  }
  if (best === undefined) return undefined;
  const { schedule, classes } = best.sizing;
  // Shards that are cut differently.
  const polished = classes.shards.length === 1 ? best : fasterOf(best, bestSizes(schedule, false, search));
  // Of the first shard, in chunks; the others may differ.
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
 * The plan with sizes in whole chunks, as few as do; undefined where it is not correct, or the sizes gain nothing.
 *
 * @param details how it is told
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
  const lowered = lower(schedule, { name: `${plan.name}-${suffix}` });
  if (!fitsFastMemory(lowered, topology, size)) return undefined;
  const { checked } = checkByKernel(lowered, { topology, slots: limits.slots });
  if (checked === undefined) return undefined;
  const candidate = candidateOf(schedule, { ...origin, tuned: 'sizes', ...details(counts) }, `${name}, ${suffix}`);
  return { kind: 'priced', candidate, schedule, checked, cost: simulate(lowered, routes, size) };
}

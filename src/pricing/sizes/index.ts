/** Messages of unequal sizes: what the ends of a pipeline take is less where its last messages are small (docs/sizes.md). */
import { simulate } from '../../cost/index.ts';
import { operationCount } from '../../ir/plan.ts';
import type { Routes } from '../../ir/routes.ts';
import { ranksOf } from '../../ir/topology.ts';
import type { Seconds } from '../../ir/units.ts';
import { fitsFastMemory, lower } from '../../lower/index.ts';
import { resize, unroll } from '../../passes/index.ts';
import { candidateOf, mostFailures, mostRanksFor, worthwhile } from '../../synth/index.ts';
import { check } from '../../verify/index.ts';
import { nearEnough } from '../effort.ts';
import type { Priced, PriceRequest } from '../price.ts';
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
import { leastCounts } from './whole-sizes.ts';

/** Operations that may be simulated in all. */
const mostEffort = 150_000;
/** Plans with all slices written out are not larger. */
const mostOperations = 3000;
/** Numbers of slices that a plan is tried in. */
const slicings = [1, 2, 3, 4, 6, 8, 12] as const;

/** A plan of unequal chunks, and how it is told. */
interface Made {
  readonly sized: Sized;
  readonly suffix: 'sized' | 'tapered';
  details(counts: Int32Array): Readonly<Record<string, number | readonly number[]>>;
}

/**
 * Cuts the shards of a plan in chunks of unequal size, or its bulks so that these taper.
 *
 * @param target no plan can be faster: there is nothing to gain near it
 * @returns undefined where no sizes gain anything worthwhile, or the user has said into how many chunks to cut; of bulks that are asked for only the sizes change
 */
export function withBestSizes(
  plan: Priced,
  request: PriceRequest,
  routes: Routes,
  target: Seconds,
): Priced | undefined {
  const { topology, chunks, bulks, size, inEqualBulks, shouldStop } = request;
  const { seconds } = plan.cost;
  const isFixed =
    topology.lane !== undefined || chunks !== undefined || plan.checked.plan.collective.counts !== undefined;
  if (isFixed || ranksOf(topology) > mostRanksFor.programs || seconds <= target * nearEnough) return undefined;
  const search = (): SizeSearch => ({ routes, size, spend: workBudget(mostEffort, shouldStop) });
  const inEnds = inEqualBulks === true || bulks === 1 ? undefined : taperedBulks(plan, search());
  const inSizes = bulks === 'auto' || bulks === 1 ? inSlices(plan, search()) : undefined;
  const [best] = [inEnds, inSizes]
    .filter((made) => made !== undefined && made.sized.seconds < seconds * worthwhile)
    .flatMap((made) => (made === undefined ? [] : (inWholeChunks(plan, made, request, routes) ?? [])))
    .sort((a, b) => a.cost.seconds - b.cost.seconds);
  return best !== undefined && best.cost.seconds < seconds * worthwhile ? best : undefined;
}

/** Steps that keep ranks together do not overlap, however they are cut. */
function canBeSliced({ schedule, checked }: Priced, slices: number): boolean {
  return slices === 1 || (schedule.inStep !== true && slices * operationCount(checked.plan) <= mostOperations);
}

/** In more and more slices, each with its best sizes, as long as that gains. */
function inSlices(plan: Priced, search: SizeSearch): Made | undefined {
  let best: Sized | undefined;
  let failures = 0;
  for (const slices of slicings) {
    const sized = canBeSliced(plan, slices) ? bestSizes(unroll(plan.schedule, slices), true, search) : undefined;
    if (sized === undefined) break;
    const faster: Sized =
      best === undefined ? withoutSmall(sized, search) : fasterOf(best, withoutSmall(sized, search));
    if (faster === best) failures++;
    best = faster;
    const { count } = sized.classes;
    // Chunks are left over for less than one slice.
    const isUsed = (count - emptyClasses(sized).length) * slices > count * (slices - 1);
    if ((slices > 1 && !isUsed) || failures === mostFailures) break;
  }
  if (best === undefined) return undefined;
  // Shards that are cut differently.
  const polished = best.classes.shards.length === 1 ? best : fasterOf(best, bestSizes(best.schedule, false, search));
  // Of the first shard, in chunks; the others may differ.
  const details = (counts: Int32Array) => ({
    sizes: Array.from(polished.classes.shards[0], (of) => counts[of]).filter((count) => count > 0),
  });
  return { sized: polished, suffix: 'sized', details };
}

function taperedBulks(plan: Priced, search: SizeSearch): Made | undefined {
  const { bulks } = plan.checked.plan;
  const found = canBeSliced(plan, bulks) ? tapered(plan, search) : undefined;
  if (found === undefined) return undefined;
  const details = () => ({
    taperedBulks: bulks,
    ...found.taper,
    equalBulksSeconds: plan.cost.seconds,
    oneBulkSeconds: simulate({ ...plan.checked.plan, bulks: 1 }, search.routes, search.size).seconds,
  });
  return { sized: found.sized, suffix: 'tapered', details };
}

/** The plan with sizes in whole chunks, as few as do; undefined where it is not correct. */
function inWholeChunks(
  plan: Priced,
  { sized, suffix, details }: Made,
  { topology, size, limits }: PriceRequest,
  routes: Routes,
): Priced | undefined {
  const unit = topology.messages?.alignment ?? 0;
  const counts = leastCounts(sized, size / sized.classes.shards.length / unit);
  if (counts === undefined) return undefined;
  const schedule = resize(sized.schedule, sized.classes, counts);
  const lowered = lower(schedule, { name: `${plan.checked.plan.name}-${suffix}` });
  if (!fitsFastMemory(lowered, topology, size)) return undefined;
  const { checked } = check(lowered, { topology, slots: limits.slots });
  if (checked === undefined) return undefined;
  const origin = { ...plan.candidate.origin, tuned: 'sizes', ...details(counts) };
  const candidate = candidateOf(schedule, origin, `${plan.candidate.name}, ${suffix}`);
  return { kind: 'priced', candidate, schedule, checked, cost: simulate(checked.plan, routes, size) };
}

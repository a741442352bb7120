/** Messages of unequal sizes: what the ends of a pipeline take is less where its last messages are small (docs/sizes.md). */
import { simulate } from '../../cost/index.ts';
import { operationCount } from '../../ir/plan.ts';
import type { Routes } from '../../ir/routes.ts';
import { ranksOf } from '../../ir/topology.ts';
import type { Seconds } from '../../ir/units.ts';
import { lower } from '../../lower/index.ts';
import { refine, resize, unroll } from '../../passes/index.ts';
import { prove } from '../../verify/index.ts';
import { leastLinkTime } from '../outlook.ts';
import type { Priced, PriceRequest } from '../price.ts';
import { bestSizes, type Sized, type SizeSearch } from './best-sizes.ts';
import { Effort } from './effort.ts';
import { wholeSizes } from './whole-sizes.ts';
import { polish, withoutSmall } from './without-small.ts';

/** Machines, and plans with all slices written out, beyond which sizes are not looked for. */
const mostRanks = 16;
const mostOperations = 3000;
/** Operations that may be simulated in all. */
const mostEffort = 150_000;
/** Plans that are so much slower than the best one are not looked at, nor more than so many. */
const hopeless = 1.5;
const mostPlans = 8;
/** Plans that are so near the bound are good enough. */
const nearEnough = 1.005;
/** Less of a gain is not worth messages of all sizes. */
const worthwhile = 0.999;
/** Numbers of slices that all plans are tried in, and then the best of them, with sizes of their own. */
const firstSlices = [1, 2] as const;
const moreSlices = [3, 4, 6] as const;
const mostDeep = 3;
/** Numbers of slices that are tried in vain before it ends. */
const mostFailures = 2;
/** How much slower than the best a plan may be for its small chunks to be left out. */
const nearBest = 1.15;
/** Chunks per shard that the sizes are rounded to, fewest first, and what rounding may cost. */
const roundings = [16, 32, 64, 128, 256, 512] as const;
const roundingLoss = 1.0003;

interface Tried {
  readonly plan: Priced;
  readonly sized: Sized;
}

/**
 * Cuts the shards of the most promising plans in chunks of unequal size, so that one of them becomes faster than all.
 *
 * @param priced all plans that are known, in any order
 * @param target no plan can be faster: there is nothing to gain near it
 * @returns undefined where no sizes gain anything worthwhile, or the user has said into how many chunks or bulks to cut
 */
export function withBestSizes(
  priced: readonly Priced[],
  request: PriceRequest,
  routes: Routes,
  target: Seconds,
): Priced | undefined {
  if (
    priced.length === 0 ||
    request.chunks !== undefined ||
    request.bulks !== 'auto' ||
    ranksOf(request.topology) > mostRanks
  )
    return undefined;
  const order = [...priced].sort((a, b) => a.cost.seconds - b.cost.seconds);
  const known = order[0].cost.seconds;
  if (known <= target * nearEnough) return undefined;
  const effort = new Effort(mostEffort, request.shouldStop);
  const hopeful = order.filter(
    (plan) =>
      plan.cost.seconds <= known * hopeless &&
      leastLinkTime(plan, routes) < known &&
      plan.proved.plan.collective.counts === undefined,
  );
  const search = { routes, size: request.size, effort };
  const tried = hopeful.slice(0, mostPlans).flatMap((plan) => withSlices(plan, firstSlices, search, known) ?? []);
  tried.sort((a, b) => a.sized.seconds - b.sized.seconds);
  const sized = tried
    .slice(0, mostDeep)
    .map((one) => best(one, withSlices(one.plan, moreSlices, search, one.sized.seconds)));
  const found = sized.reduce<Tried | undefined>((least, one) => best(one, least), undefined);
  if (found === undefined) return undefined;
  const polished = polish(found.sized, search);
  if (polished.seconds > known * worthwhile) return undefined;
  const whole = inWholeChunks(polished, found.plan, request, routes);
  return whole !== undefined && whole.cost.seconds < known * worthwhile ? whole : undefined;
}

/** The faster of two. */
function best(a: Tried, b: Tried | undefined): Tried {
  return b !== undefined && b.sized.seconds < a.sized.seconds ? b : a;
}

/** The number of slices, of those given, that is best when all have their best sizes: one after the other, as long as it gains. */
function withSlices(plan: Priced, numbers: readonly number[], search: SizeSearch, known: Seconds): Tried | undefined {
  let found: Tried | undefined;
  let failures = 0;
  for (const slices of numbers) {
    if (slices > 1 && plan.schedule.inStep === true) break;
    if (slices * operationCount(plan.proved.plan) > mostOperations) break;
    const sized = bestSizes(unroll(plan.schedule, slices), true, search);
    if (sized === undefined) break;
    const isNear = sized.seconds <= Math.min(known, found?.sized.seconds ?? known) * nearBest;
    const one = { plan, sized: isNear ? withoutSmall(sized, search) : sized };
    if (best(one, found) !== one && ++failures === mostFailures) break;
    found = best(one, found);
  }
  return found;
}

/** The plan with sizes in whole chunks, as few as do; undefined where it is not correct. */
function inWholeChunks(
  sized: Sized,
  plan: Priced,
  { topology, size, limits }: PriceRequest,
  routes: Routes,
): Priced | undefined {
  const counts = leastCounts(sized);
  if (counts === undefined) return undefined;
  const schedule = resize(sized.schedule, sized.classes, counts);
  const name = `${plan.proved.plan.name}-sized`;
  const { proved } = prove(lower(schedule, { name }), { topology, slots: limits.slots });
  if (proved === undefined) return undefined;
  // Of the first shard, in chunks; the others may differ.
  const sizes = Array.from(sized.classes.shards[0], (of) => counts[of]).filter((count) => count > 0);
  const candidate = {
    name: `${plan.candidate.name}, sized`,
    origin: { ...plan.candidate.origin, tuned: 'sizes', sizes },
    build: (multiple: number) => refine(schedule, multiple),
  };
  return { kind: 'priced', candidate, schedule, proved, cost: simulate(proved.plan, routes, size) };
}

/** By class, the sizes in as few chunks per shard as lose next to nothing, or else in the best that there are. */
function leastCounts({ classes, parts, seconds, secondsWith }: Sized): Int32Array | undefined {
  let found: Int32Array | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const chunks of roundings) {
    const counts = wholeSizes(classes, parts, chunks);
    if (counts === undefined) continue;
    const rounded = secondsWith(Float64Array.from(counts, (count) => count / chunks));
    if (rounded >= least) continue;
    [found, least] = [counts, rounded];
    if (rounded <= seconds * roundingLoss) return found;
  }
  return found;
}

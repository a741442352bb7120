/** Messages of unequal sizes: what the ends of a pipeline take is less where its last messages are small (docs/sizes.md). */
import { simulate } from '../../cost/index.ts';
import type { Routes } from '../../ir/routes.ts';
import { ranksOf } from '../../ir/topology.ts';
import type { Seconds } from '../../ir/units.ts';
import { greatestCommonDivisor } from '../../ir/whole-numbers.ts';
import { fitsFastMemory, lower } from '../../lower/index.ts';
import { refine, resize, type SizeClasses } from '../../passes/index.ts';
import { mostRanksFor } from '../../synth/index.ts';
import { check } from '../../verify/index.ts';
import { nearEnough, worthwhile } from '../effort.ts';
import { leastLinkTime } from '../pipeline-estimate.ts';
import type { Priced, PriceRequest } from '../price.ts';
import type { Sized, SizeSearch } from './best-sizes.ts';
import { fastestInSlices } from './slices.ts';
import { tapered } from './tapered.ts';
import { wholeSizes } from './whole-sizes.ts';
import { polish } from './without-small.ts';
import { WorkBudget } from './work-budget.ts';

/** Operations that may be simulated in all. */
const mostEffort = 150_000;
/** Plans that are looked at, the fastest first. */
const mostPlans = 8;
/** Chunks per shard that the sizes are rounded to, fewest first, and what rounding may cost. */
const roundings = [16, 32, 64, 128, 256, 512] as const;
const roundingLoss = 1.0003;
/** Where all of these lose what is worthwhile. */
const finerRoundings = [1024, 2048] as const;

/**
 * Cuts the shards of the most promising plans in chunks of unequal size, or their bulks so that these taper, so that one of them becomes faster than all.
 *
 * @param priced all plans that are known, in any order
 * @param target no plan can be faster: there is nothing to gain near it
 * @returns undefined where no sizes gain anything worthwhile, or the user has said into how many chunks to cut; of bulks that are asked for only the sizes change
 */
export function withBestSizes(
  priced: readonly Priced[],
  request: PriceRequest,
  routes: Routes,
  target: Seconds,
): Priced | undefined {
  if (
    priced.length === 0 ||
    request.topology.lane !== undefined ||
    request.chunks !== undefined ||
    ranksOf(request.topology) > mostRanksFor.programs
  )
    return undefined;
  const order = [...priced].sort((a, b) => a.cost.seconds - b.cost.seconds);
  const known = order[0].cost.seconds;
  if (known <= target * nearEnough) return undefined;
  const hopeful = order
    .filter((plan) => leastLinkTime(plan, routes) < known && plan.checked.plan.collective.counts === undefined)
    .slice(0, mostPlans);
  const search = (): SizeSearch => ({
    routes,
    size: request.size,
    effort: new WorkBudget(mostEffort, request.shouldStop),
  });
  const inOne = request.inEqualBulks === true || request.bulks === 1;
  const inEnds = inOne ? undefined : fastestTapered(hopeful, request, search());
  const inSizes =
    request.bulks === 'auto' || request.bulks === 1 ? inUnequal(hopeful, known, request, search()) : undefined;
  const [best] = [inEnds, inSizes]
    .filter((found) => found !== undefined)
    .sort((a, b) => a.cost.seconds - b.cost.seconds);
  return best !== undefined && best.cost.seconds < known * worthwhile ? best : undefined;
}

/** The fastest of the plans with chunks of unequal size. */
function inUnequal(
  plans: readonly Priced[],
  known: Seconds,
  request: PriceRequest,
  search: SizeSearch,
): Priced | undefined {
  const found = fastestInSlices(plans, search);
  if (found === undefined) return undefined;
  const polished = polish(found.sized, search);
  if (polished.seconds > known * worthwhile) return undefined;
  // Of the first shard, in chunks; the others may differ.
  const details = (counts: Int32Array) => ({
    sizes: Array.from(polished.classes.shards[0], (of) => counts[of]).filter((count) => count > 0),
  });
  return inWholeChunks(polished, { ...found, suffix: 'sized', details }, request, search.routes);
}

/** The fastest of the plans with bulks that taper. */
function fastestTapered(plans: readonly Priced[], request: PriceRequest, search: SizeSearch): Priced | undefined {
  const found = plans.flatMap((plan) => {
    const one = tapered(plan, search);
    return one === undefined ? [] : [{ plan, ...one }];
  });
  const [best] = found.sort((a, b) => a.sized.seconds - b.sized.seconds);
  if (best === undefined) return undefined;
  const { plan, sized, taper } = best;
  const details = () => ({
    taperedBulks: plan.checked.plan.bulks,
    ...taper,
    equalBulksSeconds: plan.cost.seconds,
    oneBulkSeconds: simulate({ ...plan.checked.plan, bulks: 1 }, search.routes, search.size).seconds,
  });
  return inWholeChunks(sized, { plan, suffix: 'tapered', details }, request, search.routes);
}

/** What a plan of unequal chunks is made of, and how it is told. */
interface Made {
  readonly plan: Priced;
  readonly suffix: 'sized' | 'tapered';
  details(counts: Int32Array): PlanDetails;
}
type PlanDetails = Readonly<Record<string, number | readonly number[]>>;

/** The plan with sizes in whole chunks, as few as do; undefined where it is not correct. */
function inWholeChunks(
  sized: Sized,
  { plan, suffix, details }: Made,
  { topology, size, limits }: PriceRequest,
  routes: Routes,
): Priced | undefined {
  const counts = leastCounts(sized);
  if (counts === undefined) return undefined;
  const schedule = resize(sized.schedule, sized.classes, counts);
  const lowered = lower(schedule, { name: `${plan.checked.plan.name}-${suffix}` });
  if (!fitsFastMemory(lowered, topology, size)) return undefined;
  const { checked } = check(lowered, { topology, slots: limits.slots });
  if (checked === undefined) return undefined;
  const candidate = {
    name: `${plan.candidate.name}, ${suffix}`,
    origin: { ...plan.candidate.origin, tuned: 'sizes', ...details(counts) },
    build: (multiple: number) => refine(schedule, multiple),
  };
  return { kind: 'priced', candidate, schedule, checked, cost: simulate(checked.plan, routes, size) };
}

/** By class, the sizes in as few chunks per shard as lose next to nothing, or else in the best that there are. */
function leastCounts({ classes, parts, seconds, secondsWith }: Sized): Int32Array | undefined {
  let found: Int32Array | undefined;
  let least = Number.POSITIVE_INFINITY;
  const multiple = commonMultiplicity(classes);
  for (const rounding of [...roundings, ...finerRoundings]) {
    const chunks = rounding * multiple;
    if (rounding === finerRoundings[0] && seconds > least * worthwhile) return found;
    const counts = wholeSizes(classes, parts, chunks);
    if (counts === undefined) continue;
    const rounded = secondsWith(Float64Array.from(counts, (count) => count / chunks));
    if (rounded >= least) continue;
    [found, least] = [counts, rounded];
    if (rounded <= seconds * roundingLoss) return found;
  }
  return found;
}

/** How many chunks of every class all shards have, or a multiple: what a shard's chunks are to be divided by. */
function commonMultiplicity({ shards, count }: SizeClasses): number {
  let common = 0;
  for (const shard of shards) {
    const times = new Int32Array(count);
    for (const of of shard) times[of]++;
    common = times.reduce(greatestCommonDivisor, common);
  }
  return common;
}

/** How many bulks suit a size: the plan's program run for several slices of the message in turn. */
import { bulkLoads, leastTime, simulate } from '../cost/index.ts';
import { operationCount, type Plan } from '../ir/plan.ts';
import type { Routes } from '../ir/routes.ts';
import type { Schedule } from '../ir/schedule.ts';
import { type Bytes, type Seconds, sumError } from '../ir/units.ts';
import { fitsFastMemory, lower } from '../lower/index.ts';
import { bestDepth, type Depth } from '../synth/index.ts';
import { check } from '../verify/index.ts';
import { allowedOf, mostSimulated, searchEffortFor } from './effort.ts';
import { outOfStep, pipelineEstimate, reducesWithoutOverlap } from './estimates.ts';
import { onOwnChannels } from './own-channels.ts';
import type { Priced, PriceRequest } from './price.ts';

/** Exact up to 64 bulks, or next to a power of two times the likely number: near its minimum the time hardly depends on it. */
const precision = { full: 1 / 64, quick: 1 } as const;
/** A pipeline is simulated for so many bulks while it fills, and for as many again to see how long each further bulk takes. */
const mostFillBulks = 6;

/**
 * The candidate with the pipeline depth that suits the size best, or in as many bulks as were asked for on the channels that suit it. However deep, no
 * fewer bytes cross its busiest link, and no way gets shorter; where these alone take longer than the best plan known, nothing is tried, and what takes longer
 * in its first bulks is not proved. Nothing is tried where
 * ranks keep in step, since from one bulk to the next they would lose it, and for candidates that are made for the size.
 *
 * @param single the plan in one bulk, in as few as the memory that messages are staged in asks for, or in as many as were asked for
 * @param known what has been made of it before
 */
export function tune(
  single: Priced,
  request: PriceRequest,
  routes: Routes,
  bestKnown = Number.POSITIVE_INFINITY,
  known = single,
): Priced {
  const { bulks, chunks } = request;
  const isAsked = bulks !== 'auto' && (chunks !== undefined || bulks === 1);
  if (isAsked || isFixed(single) || isTooLarge(single, request)) return known;
  if (inBulksAtLeast(single, request, routes) >= bestKnown) return known;
  return new DepthSearch(single, request, routes).tuned(known, bestKnown);
}

/**
 * About what `tune` will make of a candidate in bulks, told from one bulk: seldom less than that, and more where bulks stand in each
 * other's way.
 */
export function tuningEstimate(single: Priced, request: PriceRequest, routes: Routes): Seconds {
  const { seconds } = single.cost;
  if (isFixed(single) || isTooLarge(single, request) || request.bulks === 1) return seconds;
  // Of bulks that are asked for no more than their channels changes: at best the busiest link is never idle.
  if (request.bulks !== 'auto') return Math.min(seconds, longestBusy(single));
  const { likely } = new DepthSearch(single, request, routes);
  const inBulks = likely.seconds * (reducesWithoutOverlap(request) ? outOfStep : 1);
  return Math.min(seconds, Math.max(inBulksAtLeast(single, request, routes), inBulks));
}

/** What a pipeline of the plan takes in the number of bulks that should suit, told from its first bulks; no more than in one. */
export function probedWithBulks(single: Priced, request: PriceRequest, routes: Routes): Depth {
  return new DepthSearch(single, request, routes).probe();
}

/** No pipeline is looked for: bulks would get candidates out of step, or they are made for the size. */
export function isFixed({ schedule, candidate }: Priced): boolean {
  return schedule.inStep === true || candidate.isDeepEnough === true;
}

/** Three bulks in two simulations are the least that an estimate takes. */
function isTooLarge({ checked }: Priced, request: PriceRequest): boolean {
  return 4 * operationCount(checked.plan) > searchEffortFor(request);
}

/** What a pipeline takes however deep it is. */
function inBulksAtLeast(single: Priced, request: PriceRequest, routes: Routes): Seconds {
  const least = leastTime(single.schedule, routes, request.size);
  return Math.max(longestBusy(single), reducesWithoutOverlap(request) ? least * outOfStep : least);
}

/** How long the busiest link is taken: bulks are so many messages for each one, so that it is never taken for less. */
function longestBusy({ cost }: Priced): Seconds {
  return cost.links.reduce((longest, { busy }) => Math.max(longest, busy), 0);
}

/** A schedule in the number of bulks that suits it best, as far as simulations of its first bulks tell. */
interface Pipelined extends Depth {
  readonly schedule: Schedule;
}

/** Candidates are asked about several times, with more effort every time: what has been simulated of each is kept as long as it is. */
const kept = new WeakMap<Priced, FirstBulks>();

function firstBulksOf(single: Priced, size: Bytes, routes: Routes): FirstBulks {
  const known = kept.get(single) ?? new FirstBulks(single, size, routes);
  kept.set(single, known);
  return known;
}

/** The first bulks of a candidate's pipelines. */
class FirstBulks {
  /** A candidate in one bulk, and what it takes for no bytes. */
  readonly whole: Pick<Priced, 'cost'>;
  readonly latency: Seconds;
  private readonly times = new Map<Schedule, { readonly plan: Plan; readonly of: Map<string, Seconds> }>();
  private readonly name: string;
  private readonly size: Bytes;
  private readonly routes: Routes;

  constructor(single: Priced, size: Bytes, routes: Routes) {
    const { plan } = single.checked;
    const inOne = { ...plan, bulks: 1 };
    this.name = plan.name;
    this.size = size;
    this.routes = routes;
    this.whole = plan.bulks === 1 ? single : { cost: simulate(inOne, routes, size) };
    this.latency = simulate(inOne, routes, 0).seconds;
  }

  /** The plan for any number of bulks: where there are few, fewer copies of scratch are enough, otherwise all are the same. */
  planOf(schedule: Schedule): Plan {
    return this.timesOf(schedule).plan;
  }

  /** Simulated time of the first so many of all bulks. */
  timeOf(schedule: Schedule, simulated: number, bulks: number): Seconds {
    const { plan, of } = this.timesOf(schedule);
    const key = `${simulated} of ${bulks}`;
    const size = (this.size * simulated) / bulks;
    const seconds = of.get(key) ?? simulate({ ...plan, bulks: simulated }, this.routes, size).seconds;
    of.set(key, seconds);
    return seconds;
  }

  private timesOf(schedule: Schedule): { readonly plan: Plan; readonly of: Map<string, Seconds> } {
    const before = this.times.get(schedule);
    if (before !== undefined) return before;
    const found = { plan: lower(schedule, { bulks: mostSimulated, name: this.name }), of: new Map<string, Seconds>() };
    this.times.set(schedule, found);
    return found;
  }
}

class DepthSearch {
  readonly likely: Depth;
  private readonly operations: number;
  /** The fewest bulks there may be, and the most. */
  private readonly least: number;
  private readonly most: number;
  private readonly fill: number;
  private readonly first: FirstBulks;
  private readonly single: Priced;
  private readonly request: PriceRequest;
  private readonly routes: Routes;

  constructor(single: Priced, request: PriceRequest, routes: Routes) {
    const { plan } = single.checked;
    this.single = single;
    this.request = request;
    this.routes = routes;
    this.operations = operationCount(plan);
    this.least = plan.bulks;
    const simulated = Math.min(request.limits.operations, allowedOf(mostSimulated, request));
    this.most = Math.max(this.least, Math.floor(simulated / this.operations));
    this.fill = Math.min(mostFillBulks, Math.max(1, Math.round(searchEffortFor(request) / (30 * this.operations))));
    this.first = firstBulksOf(single, request.size, routes);
    this.likely = pipelineEstimate(this.first.whole, this.first.latency, routes, this.most);
  }

  probe(): Depth {
    const { single, request, fill } = this;
    const { depth } = this.likely;
    const { seconds } = single.cost;
    if (depth <= this.least) return { depth, seconds };
    request.onSimulated?.(Math.min(depth, 3 * fill) * this.operations);
    return { depth, seconds: Math.min(seconds, this.timeOf(single.schedule, depth)) };
  }

  /** The plan in the bulks that suit it, on channels as they are or on more; the one that is known where none is faster. */
  tuned(known: Priced, bestKnown: Seconds): Priced {
    const { single, routes } = this;
    const { topology, size, limits } = this.request;
    const first = this.best(single.schedule);
    const apart = this.isHeldUp(first) ? onOwnChannels(first.schedule, routes) : undefined;
    const other = apart === undefined ? first : this.best(apart);
    const { schedule, depth, seconds } = other.seconds < first.seconds ? other : first;
    if (seconds >= Math.min(known.cost.seconds, bestKnown * (1 - sumError))) return known;
    const plan = lower(schedule, { bulks: depth, name: single.checked.plan.name });
    if (!fitsFastMemory(plan, topology, size)) return known;
    const { checked } = check(plan, { topology, slots: limits.slots });
    if (checked === undefined) return known;
    const cost = simulate(plan, routes, size);
    return cost.seconds < known.cost.seconds ? { ...single, schedule, checked, cost } : known;
  }

  private best(schedule: Schedule): Pipelined {
    const { request, least, most, fill, single } = this;
    const timeOf = (bulks: number): Seconds => {
      if (bulks < least) return Number.POSITIVE_INFINITY;
      return bulks === least && schedule === single.schedule ? single.cost.seconds : this.timeOf(schedule, bulks);
    };
    const { bulks, effort = 'full', onSimulated, shouldStop } = request;
    if (bulks !== 'auto') return { schedule, depth: bulks, seconds: timeOf(bulks) };
    let left = searchEffortFor(request);
    const goesOn = (depth: number): boolean => {
      const operations = Math.min(depth, 3 * fill) * this.operations;
      left -= operations;
      if (left < 0 || shouldStop?.() === true) return false;
      onSimulated?.(operations);
      return true;
    };
    const start = Math.max(least, this.likely.depth);
    return { schedule, ...bestDepth(timeOf, most, goesOn, start, precision[effort]) };
  }

  /**
   * Whether bulks follow each other less closely than they could. Not where reducing and sending exclude each other: there the order that channels
   * keep is what keeps neighbours in time; nor with lanes, of which instances make more.
   */
  private isHeldUp({ schedule, depth }: Pipelined): boolean {
    const { routes, request, fill } = this;
    const { topology, effort, size } = request;
    if (reducesWithoutOverlap(request) || effort === 'quick' || topology.lane !== undefined) return false;
    const bulks = Math.max(2, depth, this.likely.depth);
    const timeOf = (simulated: number): Seconds => this.first.timeOf(schedule, simulated, bulks);
    const interval = (timeOf(2 * fill) - timeOf(fill)) / fill;
    const [busiest] = bulkLoads({ ...this.first.planOf(schedule), bulks }, routes, size);
    return busiest !== undefined && interval > busiest.seconds * (1 + 1e-9);
  }

  /** Simulated time in so many bulks; of deep pipelines from their first 2·`fill` bulks. */
  private timeOf(schedule: Schedule, bulks: number): Seconds {
    const { fill, first } = this;
    if (bulks <= 3 * fill) return first.timeOf(schedule, bulks, bulks);
    const [filled, steady] = [first.timeOf(schedule, fill, bulks), first.timeOf(schedule, 2 * fill, bulks)];
    return steady + ((bulks - 2 * fill) * (steady - filled)) / fill;
  }
}

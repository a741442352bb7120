/** How many bulks suit a size: the plan's program run for several slices of the message in turn. */
import { bulkLoads, leastTime, simulate } from '../cost/index.ts';
import { operationCount, type Plan } from '../ir/plan.ts';
import type { Routes } from '../ir/routes.ts';
import type { Schedule } from '../ir/schedule.ts';
import { type Seconds, sumError } from '../ir/units.ts';
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
 */
export function tune(
  single: Priced,
  request: PriceRequest,
  routes: Routes,
  bestKnown = Number.POSITIVE_INFINITY,
): Priced {
  const { bulks, chunks } = request;
  const isAsked = bulks !== 'auto' && (chunks !== undefined || bulks === 1);
  if (isAsked || isFixed(single) || isTooLarge(single, request)) return single;
  if (inBulksAtLeast(single, request, routes) >= bestKnown) return single;
  return new DepthSearch(single, request, routes).tuned(bestKnown);
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
  /** The plan for any number of bulks: in plans with few fewer copies of scratch are enough, otherwise all are the same. */
  readonly plan: Plan;
}

class DepthSearch {
  readonly likely: Depth;
  private readonly operations: number;
  /** The fewest bulks there may be, and the most. */
  private readonly least: number;
  private readonly most: number;
  private readonly fill: number;
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
    const inOne = { ...plan, bulks: 1 };
    const whole = this.least === 1 ? single : { cost: simulate(inOne, routes, request.size) };
    this.likely = pipelineEstimate(whole, simulate(inOne, routes, 0).seconds, routes, this.most);
  }

  probe(): Depth {
    const { single, request, fill } = this;
    const { depth } = this.likely;
    const { seconds } = single.cost;
    if (depth <= this.least) return { depth, seconds };
    request.onSimulated?.(Math.min(depth, 3 * fill) * this.operations);
    return { depth, seconds: Math.min(seconds, this.timeOf(this.lowered(single.schedule), depth)) };
  }

  /** The plan in the bulks that suit it, on channels as they are or on more; the one that is given where none is faster. */
  tuned(bestKnown: Seconds): Priced {
    const { single, routes } = this;
    const { topology, size, limits } = this.request;
    const first = this.best(single.schedule);
    const apart = this.isHeldUp(first) ? onOwnChannels(first.schedule, routes) : undefined;
    const other = apart === undefined ? first : this.best(apart);
    const { schedule, depth, seconds } = other.seconds < first.seconds ? other : first;
    if (seconds >= Math.min(single.cost.seconds, bestKnown * (1 - sumError))) return single;
    const plan = lower(schedule, { bulks: depth, name: single.checked.plan.name });
    if (!fitsFastMemory(plan, topology, size)) return single;
    const { checked } = check(plan, { topology, slots: limits.slots });
    if (checked === undefined) return single;
    const cost = simulate(plan, routes, size);
    return cost.seconds < single.cost.seconds ? { ...single, schedule, checked, cost } : single;
  }

  private best(schedule: Schedule): Pipelined {
    const { request, least, most, fill, single } = this;
    const plan = this.lowered(schedule);
    const timeOf = (bulks: number): Seconds => {
      if (bulks < least) return Number.POSITIVE_INFINITY;
      return bulks === least && schedule === single.schedule ? single.cost.seconds : this.timeOf(plan, bulks);
    };
    const { bulks, effort = 'full', onSimulated, shouldStop } = request;
    if (bulks !== 'auto') return { schedule, plan, depth: bulks, seconds: timeOf(bulks) };
    let left = searchEffortFor(request);
    const goesOn = (depth: number): boolean => {
      const operations = Math.min(depth, 3 * fill) * operationCount(plan);
      left -= operations;
      if (left < 0 || shouldStop?.() === true) return false;
      onSimulated?.(operations);
      return true;
    };
    const start = Math.max(least, this.likely.depth);
    return { schedule, plan, ...bestDepth(timeOf, most, goesOn, start, precision[effort]) };
  }

  private lowered(schedule: Schedule): Plan {
    return lower(schedule, { bulks: this.most, name: this.single.checked.plan.name });
  }

  /**
   * Whether bulks follow each other less closely than they could. Not where reducing and sending exclude each other: there the order that channels
   * keep is what keeps neighbours in time; nor with lanes, of which instances make more.
   */
  private isHeldUp({ plan, depth }: Pipelined): boolean {
    const { routes, request, fill } = this;
    const { topology, effort, size } = request;
    if (reducesWithoutOverlap(request) || effort === 'quick' || topology.lane !== undefined) return false;
    const bulks = Math.max(2, depth, this.likely.depth);
    const interval = (this.timeOfFirst(plan, 2 * fill, bulks) - this.timeOfFirst(plan, fill, bulks)) / fill;
    const [busiest] = bulkLoads({ ...plan, bulks }, routes, size);
    return busiest !== undefined && interval > busiest.seconds * (1 + 1e-9);
  }

  /** Simulated time of a plan in so many bulks; of deep pipelines from their first 2·`fill` bulks. */
  private timeOf(plan: Plan, bulks: number): Seconds {
    const { fill } = this;
    if (bulks <= 3 * fill) return this.timeOfFirst(plan, bulks, bulks);
    const [filled, steady] = [this.timeOfFirst(plan, fill, bulks), this.timeOfFirst(plan, 2 * fill, bulks)];
    return steady + ((bulks - 2 * fill) * (steady - filled)) / fill;
  }

  /** Of the first so many of all bulks; copies of scratch are left as they are. */
  private timeOfFirst(plan: Plan, simulated: number, bulks: number): Seconds {
    return simulate({ ...plan, bulks: simulated }, this.routes, (this.request.size * simulated) / bulks).seconds;
  }
}

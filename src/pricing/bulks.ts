/** How many bulks suit a size: the plan's program run for several slices of the message in turn. */
import { bulkLoads, simulate } from '../cost/index.ts';
import { operationCount, type Plan } from '../ir/plan.ts';
import type { Routes } from '../ir/routes.ts';
import type { Schedule } from '../ir/schedule.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { fitsFastMemory, lower } from '../lower/index.ts';
import { bestDepth } from '../synth/index.ts';
import { check } from '../verify/index.ts';
import { allowedOf, deepest, effortFor, hopeless, reducesWithoutOverlap, searchEffortFor } from './effort.ts';
import { onOwnChannels } from './own-channels.ts';
import { type PipelineEstimate, pipelineEstimate } from './pipeline-estimate.ts';
import type { Priced, PriceRequest } from './price.ts';

/** Exact up to 64 bulks, or next to a power of two times the likely number: near its minimum the time hardly depends on it. */
const precision = { full: 1 / 64, quick: 1 } as const;
/** Operations × bulks of a plan that is simulated from its beginning to its end, where the request says no less. */
const mostSimulated = 2_000_000;
/** A pipeline is simulated for so many bulks while it fills, and for as many again to see how long each further bulk takes. */
const mostFillBulks = 6;

/** A schedule in the number of bulks that suits it best, as far as simulations of its first bulks tell. */
interface Pipelined extends PipelineEstimate {
  readonly schedule: Schedule;
  /** The plan for any number of bulks. */
  readonly plan: Plan;
}

/**
 * The plan's program run for several slices of the message in turn; as it was where no depth is better than what is known.
 * @param single the plan in one bulk, or in as few as the memory that messages are staged in asks for
 */
export function withBestBulks(single: Priced, request: PriceRequest, routes: Routes, bestKnown: Seconds): Priced {
  if (isTooLarge(single, request)) return single;
  const search = new DepthSearch(single, request, routes);
  if (search.likely.seconds >= bestKnown * hopeless) return single;
  const first = search.best(single.schedule);
  let best = first;
  const apart = search.withMoreChannels(first, Math.min(bestKnown, first.seconds));
  if (apart !== undefined) {
    const found = search.best(apart);
    if (found.seconds < best.seconds) best = found;
  }
  const { schedule, depth, seconds } = best;
  if (depth <= search.least || seconds >= Math.min(bestKnown, single.cost.seconds)) return single;
  const plan = lower(schedule, { bulks: depth, name: single.checked.plan.name });
  if (!fitsFastMemory(plan, request.topology, request.size)) return single;
  const { checked } = check(plan, { topology: request.topology, slots: request.limits.slots });
  return checked === undefined ? single : { ...single, schedule, checked, cost: simulate(plan, routes, request.size) };
}

/** A plan in as many bulks as were asked for, on more channels where that is faster. */
export function onMoreChannels(asked: Priced, request: PriceRequest, routes: Routes): Priced {
  const { plan } = asked.checked;
  if (plan.bulks === 1 || isTooLarge(asked, request)) return asked;
  const search = new DepthSearch(asked, request, routes);
  const { seconds } = asked.cost;
  const schedule = search.withMoreChannels({ schedule: asked.schedule, plan, depth: plan.bulks, seconds }, seconds);
  return schedule === undefined ? asked : inAsMany(asked, schedule, plan.bulks, request, routes, seconds);
}

/** The same candidate by another schedule, if it is faster than that. */
function inAsMany(
  single: Priced,
  schedule: Schedule,
  bulks: number,
  { topology, size, limits }: PriceRequest,
  routes: Routes,
  toBeat: Seconds,
): Priced {
  const plan = lower(schedule, { bulks, name: single.checked.plan.name });
  if (!fitsFastMemory(plan, topology, size)) return single;
  const { checked } = check(plan, { topology, slots: limits.slots });
  if (checked === undefined) return single;
  const cost = simulate(plan, routes, size);
  return cost.seconds < toBeat ? { ...single, schedule, checked, cost } : single;
}

/** Three bulks in two simulations are the least that an estimate takes. */
function isTooLarge({ checked }: Priced, request: PriceRequest): boolean {
  return 4 * operationCount(checked.plan) > searchEffortFor(request);
}

/** Plans in any number of bulks, by schedule, that were probed and may be tuned. */
const probed = new WeakMap<Schedule, Plan>();

/** About what a pipeline of the plan takes (pipeline-estimate.ts); what one bulk takes where no pipeline is looked for. */
export function likelyWithBulks(single: Priced, request: PriceRequest, routes: Routes): Seconds {
  if (isTooLarge(single, request)) return single.cost.seconds;
  return new DepthSearch(single, request, routes).likely.seconds;
}

/** What a pipeline of the plan takes in the number of bulks that should suit, told from its first bulks; no more than in one. */
export function probedWithBulks(single: Priced, request: PriceRequest, routes: Routes): PipelineEstimate {
  return new DepthSearch(single, request, routes).probe();
}

class DepthSearch {
  readonly operations: number;
  /** The fewest bulks there may be. */
  readonly least: number;
  readonly likely: PipelineEstimate;
  private readonly single: Priced;
  private readonly request: PriceRequest;
  private readonly routes: Routes;
  private readonly fill: number;
  /** The most bulks there may be. */
  private readonly most: number;

  constructor(single: Priced, request: PriceRequest, routes: Routes) {
    const { plan } = single.checked;
    this.single = single;
    this.request = request;
    this.routes = routes;
    this.operations = operationCount(plan);
    this.least = plan.bulks;
    const whole = this.least === 1 ? single : { ...single, cost: simulate(inBulks(plan, 1), routes, request.size) };
    const simulated = Math.min(request.mostSimulated ?? Number.POSITIVE_INFINITY, allowedOf(mostSimulated, request));
    this.most = Math.min(deepest, Math.max(this.least, Math.floor(simulated / this.operations)));
    this.likely = pipelineEstimate(whole, simulate(inBulks(plan, 1), routes, 0).seconds, routes, this.most);
    this.fill = Math.min(mostFillBulks, Math.max(1, Math.round(searchEffortFor(request) / (30 * this.operations))));
  }

  probe(): PipelineEstimate {
    const { single, request, routes, fill } = this;
    const { depth } = this.likely;
    const { seconds } = single.cost;
    if (depth <= this.least) return { depth, seconds };
    const plan = lower(single.schedule, { bulks: deepest, name: single.checked.plan.name });
    probed.set(single.schedule, plan);
    request.onSimulated?.(Math.min(depth, 3 * fill) * this.operations);
    return { depth, seconds: Math.min(seconds, pipelineTime(plan, depth, fill, request.size, routes)) };
  }

  /** In a quick search none where the number of bulks that should suit takes as long as one. */
  best(schedule: Schedule): Pipelined {
    const { request, least, most, fill, single } = this;
    // In plans with few bulks fewer copies of scratch are enough; otherwise all are the same, so one lowering serves the search.
    const plan = probed.get(schedule) ?? lower(schedule, { bulks: deepest, name: this.single.checked.plan.name });
    const operations = operationCount(plan);
    const start = Math.max(least, this.likely.depth);
    let isHopeless = false;
    const timeOf = (bulks: number): Seconds => {
      if (bulks <= least) return bulks === least ? single.cost.seconds : Number.POSITIVE_INFINITY;
      const seconds = pipelineTime(plan, bulks, fill, request.size, this.routes);
      if (bulks === start) isHopeless = request.effort === 'quick' && seconds >= single.cost.seconds;
      return seconds;
    };
    const hasEffort = effortFor((bulks) => Math.min(bulks, 3 * fill) * operations, request);
    const found = bestDepth(
      timeOf,
      most,
      (bulks) => !isHopeless && hasEffort(bulks),
      start,
      precision[request.effort ?? 'full'],
    );
    return { schedule, plan, ...found };
  }

  /**
   * The same schedule on more channels, where bulks follow each other less closely than they could. Not where reducing and sending
   * exclude each other: there the order that channels keep is what keeps neighbours in time; nor with lanes, of which instances make more.
   * @param toBeat the time that must come out better
   */
  withMoreChannels({ schedule, plan, depth }: Pipelined, toBeat: Seconds): Schedule | undefined {
    const { topology, effort } = this.request;
    if (reducesWithoutOverlap(this.request) || effort === 'quick' || topology.lane !== undefined) return undefined;
    const { routes } = this;
    const { size } = this.request;
    const [needed] = bulkLoads(inBulks(plan, 1), routes, size);
    if (needed === undefined || needed.seconds >= toBeat) return undefined;
    const bulks = Math.max(2, depth, this.likely.depth);
    const interval = this.interval(plan, bulks);
    const [busiest] = bulkLoads(inBulks(plan, bulks), routes, size);
    return interval <= busiest.seconds * (1 + 1e-9) ? undefined : onOwnChannels(schedule, routes);
  }

  /** How far apart bulks are when the pipeline is full. */
  private interval(plan: Plan, bulks: number): Seconds {
    const timeOf = (simulated: number): Seconds =>
      simulate(inBulks(plan, simulated), this.routes, (this.request.size * simulated) / bulks).seconds;
    return (timeOf(2 * this.fill) - timeOf(this.fill)) / this.fill;
  }
}

/** Simulated time of a plan in so many bulks; of deep pipelines from their first 2·`fill` bulks. */
function pipelineTime(plan: Plan, bulks: number, fill: number, size: Bytes, routes: Routes): Seconds {
  const timeOf = (simulated: number): Seconds =>
    simulate(inBulks(plan, simulated), routes, (size * simulated) / bulks).seconds;
  if (bulks <= 3 * fill) return timeOf(bulks);
  const [filled, steady] = [timeOf(fill), timeOf(2 * fill)];
  return steady + ((bulks - 2 * fill) * (steady - filled)) / fill;
}

/** The same program for another number of bulks, to be simulated only: copies of scratch are left as they are. */
function inBulks(plan: Plan, bulks: number): Plan {
  return { ...plan, bulks };
}

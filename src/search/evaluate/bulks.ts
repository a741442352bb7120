/**
 * Chooses the pipeline depth of a candidate: the number of bulks (slices of the message that run through the same
 * program one after the other) with the least simulated time.
 */

import type { Effort } from '../../ir/effort.ts';
import { operationCount, type Plan } from '../../ir/plan.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { type Seconds, sumError } from '../../ir/units.ts';
import { fitsFastMemory, lower } from '../../lower/index.ts';
import { bulkLoads, occupancyLowerBound, simulate } from '../../model/index.ts';
import { bestDepth, type Depth } from '../../synth/index.ts';
import { checkByKernel } from '../../verify/index.ts';
import { allowedOf, maxSimulatedOperations } from './effort.ts';
import { pipelineEstimate, reducesWithoutOverlap, unsynchronisedPenalty } from './estimates.ts';
import type { EvaluatedCandidate, EvaluationRequest } from './evaluate-candidate.ts';
import { onOwnChannels } from './own-channels.ts';

/**
 * Precision of the search for the depth: exact up to 64 bulks with full effort, otherwise within a power of two of the
 * estimate. Near its minimum the time hardly depends on the depth.
 */
const precision = { full: 1 / 64, quick: 1 } as const;
/**
 * Bulks that are simulated until the pipeline is full; as many again are simulated to measure the time per further
 * bulk.
 */
const mostFillBulks = 6;

/** Returns the candidate with the best depth that the effort of the request allows. */
export function tune(
  single: EvaluatedCandidate,
  request: EvaluationRequest,
  routes: Routes,
  bestKnown = Number.POSITIVE_INFINITY,
): EvaluatedCandidate {
  return new Pipelines(single, request, routes).tuned(request.effort ?? 'full', bestKnown);
}

/** Budget of one search for the depth. */
interface Allowed {
  readonly effort: Effort;
  /** Operations of all bulks that may be simulated. */
  readonly simulated: number;
  readonly mostBulks: number;
  readonly fill: number;
}

/** A schedule with its best number of bulks, as far as simulations of the first bulks tell. */
interface Pipelined extends Depth {
  readonly schedule: Schedule;
}

/**
 * The pipelines of one candidate. Each depth is simulated once, however often and with whatever effort it is requested.
 */
export class Pipelines {
  private best: EvaluatedCandidate;
  /** The candidate in one bulk: its time, and its time for an empty message. */
  private whole: { readonly one: Pick<EvaluatedCandidate, 'cost'>; readonly latency: Seconds } | undefined;
  /**
   * By schedule: the plan, which is the same for every number of bulks (few bulks need fewer copies of scratch), and
   * the times of its first bulks by depth.
   */
  private readonly known = new Map<Schedule, { readonly plan: Plan; readonly times: Map<string, Seconds> }>();
  private readonly operations: number;
  /** The minimum number of bulks. */
  private readonly least: number;
  private readonly single: EvaluatedCandidate;
  private readonly request: Omit<EvaluationRequest, 'effort'>;
  private readonly routes: Routes;

  /** @param single the plan in one bulk, in as few as the staging memory allows, or in as many as the user requested */
  constructor(single: EvaluatedCandidate, request: Omit<EvaluationRequest, 'effort'>, routes: Routes) {
    this.best = single;
    this.single = single;
    this.request = request;
    this.routes = routes;
    this.operations = operationCount(single.checked.plan);
    this.least = single.checked.plan.bulks;
  }

  /**
   * True if no pipeline is searched for: bulks would unsynchronise the candidate, or it is made for exactly this size.
   */
  get isFixed(): boolean {
    const { schedule, candidate } = this.single;
    return schedule.inStep === true || candidate.isDeepEnough === true;
  }

  /**
   * Estimates the time that `tuned` will reach, from the simulation of one bulk. The true time is seldom less, and more
   * where bulks compete for resources.
   */
  estimate(effort: Effort): Seconds {
    const { single, request } = this;
    const { seconds } = single.cost;
    if (this.isFixed || this.isTooLarge(effort) || request.bulks === 1) return seconds;
    // If the number of bulks is given, only the channels can change: at best the busiest link is never idle.
    if (request.bulks !== 'auto') return Math.min(seconds, this.longestBusy());
    const likely = this.likely(this.allowed(effort));
    const inBulks = likely.seconds * (reducesWithoutOverlap(request) ? unsynchronisedPenalty : 1);
    return Math.min(seconds, Math.max(this.inBulksAtLeast(), inBulks));
  }

  /**
   * Returns the candidate at its best pipeline depth, on its own channels or on more; or, if the number of bulks is
   * given, on the channels that suit it. Returns it unchanged if nothing is faster.
   * At any depth the busiest link carries at least the same bytes, and routes keep their latencies; where these alone
   * exceed the best time known, nothing is tried, and a pipeline whose first bulks exceed it is not proved.
   * Synchronised candidates are left alone, since from one bulk to the next they would lose their synchronisation, and
   * so are candidates made for exactly this size.
   */
  tuned(effort: Effort, bestKnown = Number.POSITIVE_INFINITY): EvaluatedCandidate {
    const { single, request, routes, best } = this;
    const { bulks, chunks } = request;
    const isAsked = bulks !== 'auto' && (chunks !== undefined || bulks === 1);
    if (isAsked || this.isFixed || this.isTooLarge(effort) || this.inBulksAtLeast() >= bestKnown) return best;
    const allowed = this.allowed(effort);
    const first = this.deepest(single.schedule, allowed);
    const apart = this.isHeldUp(first, allowed) ? onOwnChannels(first.schedule, routes) : undefined;
    const other = apart === undefined ? first : this.deepest(apart, allowed);
    const found = other.seconds < first.seconds ? other : first;
    // The ratio by which the best depth so far turned out better than its first bulks predicted is assumed for deeper
    // ones too.
    const told =
      best === single ? best.cost.seconds : this.timeOf(best.schedule, best.checked.plan.bulks, allowed.fill);
    const likely = found.seconds * Math.min(1, best.cost.seconds / told);
    if (likely < Math.min(best.cost.seconds, bestKnown * (1 - sumError))) this.keepBest(found);
    return this.best;
  }

  /** Whether the target has room for the schedule in so many bulks. What was asked for is judged when it is written. */
  private fitsTarget(schedule: Schedule, bulks: number): boolean {
    const { lackingRoom, topology, bulks: requested } = this.request;
    if (lackingRoom === undefined || (requested !== 'auto' && schedule === this.single.schedule)) return true;
    return lackingRoom({ ...this.knownOf(schedule).plan, bulks }, topology).length === 0;
  }

  private keepBest({ schedule, depth }: Pipelined): void {
    const { topology, size, limits } = this.request;
    const plan = lower(schedule, { bulks: depth, name: this.single.checked.plan.name });
    if (!fitsFastMemory(plan, topology, size)) return;
    const { checked } = checkByKernel(plan, { topology, slots: limits.slots });
    if (checked === undefined) return;
    const cost = simulate(plan, this.routes, size);
    if (cost.seconds < this.best.cost.seconds) this.best = { ...this.single, schedule, checked, cost };
  }

  private allowed(effort: Effort): Allowed {
    const { operations, least } = this;
    const { topology, limits } = this.request;
    const most = allowedOf(maxSimulatedOperations, effort, topology);
    const simulated = most / 4;
    return {
      effort,
      simulated,
      mostBulks: Math.max(least, Math.floor(Math.min(limits.operations, most) / operations)),
      fill: Math.min(mostFillBulks, 1 + Math.round(simulated / (30 * operations))),
    };
  }

  /** An estimate needs at least three bulks in two simulations. */
  private isTooLarge(effort: Effort): boolean {
    return 4 * this.operations > this.allowed(effort).simulated;
  }

  /** Lower bound on the time of a pipeline of any depth. */
  private inBulksAtLeast(): Seconds {
    const least = occupancyLowerBound(this.single.schedule, this.routes, this.request.size);
    return Math.max(this.longestBusy(), reducesWithoutOverlap(this.request) ? least * unsynchronisedPenalty : least);
  }

  /**
   * How long the busiest link is occupied: every bulk adds a message to each link, so more bulks never occupy it for
   * less.
   */
  private longestBusy(): Seconds {
    return this.single.cost.links.reduce((longest, { busy }) => Math.max(longest, busy), 0);
  }

  private likely({ mostBulks }: Allowed): Depth {
    const { single, routes, least } = this;
    const inOne = { ...single.checked.plan, bulks: 1 };
    this.whole ??= {
      one: least === 1 ? single : { cost: simulate(inOne, routes, this.request.size) },
      latency: simulate(inOne, routes, 0).seconds,
    };
    return pipelineEstimate(this.whole.one, this.whole.latency, routes, mostBulks);
  }

  private deepest(schedule: Schedule, allowed: Allowed): Pipelined {
    const { request, least, single } = this;
    const { mostBulks, fill, effort } = allowed;
    const timeOf = (bulks: number): Seconds => {
      if (bulks < least || !this.fitsTarget(schedule, bulks)) return Number.POSITIVE_INFINITY;
      return bulks === least && schedule === single.schedule ? single.cost.seconds : this.timeOf(schedule, bulks, fill);
    };
    const { bulks, onSimulated, shouldStop } = request;
    if (bulks !== 'auto') return { schedule, depth: bulks, seconds: timeOf(bulks) };
    let left = allowed.simulated;
    const goesOn = (depth: number): boolean => {
      const operations = Math.min(depth, 3 * fill) * this.operations;
      left -= operations;
      if (left < 0 || shouldStop?.() === true) return false;
      onSimulated?.(operations);
      return true;
    };
    const start = Math.max(least, this.likely(allowed).depth);
    return { schedule, ...bestDepth(timeOf, mostBulks, goesOn, start, precision[effort]) };
  }

  /**
   * Whether bulks follow each other less closely than the busiest resource allows, so that more channels may help. Not
   * tried where reducing and sending exclude each other, since there the order within channels keeps neighbours
   * synchronised; nor with lane models, where instances add channels.
   */
  private isHeldUp({ schedule, depth }: Pipelined, allowed: Allowed): boolean {
    const { routes, request } = this;
    const { topology, size } = request;
    const { fill, effort } = allowed;
    if (reducesWithoutOverlap(request) || effort === 'quick' || topology.lane !== undefined) return false;
    const bulks = Math.max(2, depth, this.likely(allowed).depth);
    const timeOf = (simulated: number): Seconds => this.timeOfFirst(schedule, simulated, bulks);
    const interval = (timeOf(2 * fill) - timeOf(fill)) / fill;
    const [busiest] = bulkLoads({ ...this.knownOf(schedule).plan, bulks }, routes, size);
    return busiest !== undefined && interval > busiest.seconds * (1 + 1e-9);
  }

  /** Simulated time with `bulks` bulks; for deep pipelines extrapolated from the first 2·`fill` bulks. */
  private timeOf(schedule: Schedule, bulks: number, fill: number): Seconds {
    const first = (simulated: number): Seconds => this.timeOfFirst(schedule, simulated, bulks);
    if (bulks <= 3 * fill) return first(bulks);
    const [filled, steady] = [first(fill), first(2 * fill)];
    return steady + ((bulks - 2 * fill) * (steady - filled)) / fill;
  }

  /** Simulated time of the first `simulated` of all bulks, with the copies of scratch of the whole pipeline. */
  private timeOfFirst(schedule: Schedule, simulated: number, bulks: number): Seconds {
    const { plan, times } = this.knownOf(schedule);
    const key = `${simulated} of ${bulks}`;
    const size = (this.request.size * simulated) / bulks;
    const seconds = times.get(key) ?? simulate({ ...plan, bulks: simulated }, this.routes, size).seconds;
    times.set(key, seconds);
    return seconds;
  }

  private knownOf(schedule: Schedule): { readonly plan: Plan; readonly times: Map<string, Seconds> } {
    const { known, single } = this;
    const before = known.get(schedule);
    if (before !== undefined) return before;
    const plan = lower(schedule, { bulks: maxSimulatedOperations, name: single.checked.plan.name });
    const found = { plan, times: new Map<string, Seconds>() };
    known.set(schedule, found);
    return found;
  }
}

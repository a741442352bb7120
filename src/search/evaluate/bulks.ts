/** How many bulks suit a size: the plan's program run for several slices of the message in turn. */

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

/** Exact up to 64 bulks, or next to a power of two times the likely number: near its minimum the time hardly depends on it. */
const precision = { full: 1 / 64, quick: 1 } as const;
/** A pipeline is simulated for so many bulks while it fills, and for as many again to see how long each further bulk takes. */
const mostFillBulks = 6;

/** What `Pipelines` make of a candidate with the effort of the request. */
export function tune(
  single: EvaluatedCandidate,
  request: EvaluationRequest,
  routes: Routes,
  bestKnown = Number.POSITIVE_INFINITY,
): EvaluatedCandidate {
  return new Pipelines(single, request, routes).tuned(request.effort ?? 'full', bestKnown);
}

/** What one depth search may do. */
interface Allowed {
  readonly effort: Effort;
  /** Operations of all bulks that are simulated. */
  readonly simulated: number;
  readonly mostBulks: number;
  readonly fill: number;
}

/** A schedule in the number of bulks that suits it best, as far as simulations of its first bulks tell. */
interface Pipelined extends Depth {
  readonly schedule: Schedule;
}

/** The pipelines of a candidate, each of which is simulated once, however often and with whatever effort they are asked for. */
export class Pipelines {
  private best: EvaluatedCandidate;
  /** Of a candidate in one bulk: its price, and what it takes for no bytes. */
  private whole: { readonly one: Pick<EvaluatedCandidate, 'cost'>; readonly latency: Seconds } | undefined;
  /** Plans for any number of bulks (where there are few, fewer copies of scratch are enough, otherwise all are the same), and what their first bulks take. */
  private readonly known = new Map<Schedule, { readonly plan: Plan; readonly times: Map<string, Seconds> }>();
  private readonly operations: number;
  /** The fewest bulks there may be. */
  private readonly least: number;
  private readonly single: EvaluatedCandidate;
  private readonly request: Omit<EvaluationRequest, 'effort'>;
  private readonly routes: Routes;

  /** @param single the plan in one bulk, in as few as the memory that messages are staged in asks for, or in as many as were asked for */
  constructor(single: EvaluatedCandidate, request: Omit<EvaluationRequest, 'effort'>, routes: Routes) {
    this.best = single;
    this.single = single;
    this.request = request;
    this.routes = routes;
    this.operations = operationCount(single.checked.plan);
    this.least = single.checked.plan.bulks;
  }

  /** No pipeline is looked for: bulks would get candidates out of step, or they are made for the size. */
  get isFixed(): boolean {
    const { schedule, candidate } = this.single;
    return schedule.inStep === true || candidate.isDeepEnough === true;
  }

  /** About what `tuned` will make of it, told from one bulk: seldom less than that, and more where bulks stand in each other's way. */
  estimate(effort: Effort): Seconds {
    const { single, request } = this;
    const { seconds } = single.cost;
    if (this.isFixed || this.isTooLarge(effort) || request.bulks === 1) return seconds;
    // Of bulks that are asked for no more than their channels changes: at best the busiest link is never idle.
    if (request.bulks !== 'auto') return Math.min(seconds, this.longestBusy());
    const likely = this.likely(this.allowed(effort));
    const inBulks = likely.seconds * (reducesWithoutOverlap(request) ? unsynchronisedPenalty : 1);
    return Math.min(seconds, Math.max(this.inBulksAtLeast(), inBulks));
  }

  /**
   * The candidate with the pipeline depth that suits the size best, on channels as they are or on more, or in as many bulks as were asked for on the channels
   * that suit it; what it was before where none is faster. However deep, no fewer bytes cross its busiest link, and no way gets shorter; where these alone take longer
   * than the best plan known, nothing is tried, and what takes longer in its first bulks is not proved. Nothing is tried where ranks keep in step, since from one
   * bulk to the next they would lose it, and for candidates that are made for the size.
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
    // By how much less the best so far takes than its first bulks tell, so does a deeper one.
    const told =
      best === single ? best.cost.seconds : this.timeOf(best.schedule, best.checked.plan.bulks, allowed.fill);
    const likely = found.seconds * Math.min(1, best.cost.seconds / told);
    if (likely < Math.min(best.cost.seconds, bestKnown * (1 - sumError))) this.keepBest(found);
    return this.best;
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

  /** Three bulks in two simulations are the least that an estimate takes. */
  private isTooLarge(effort: Effort): boolean {
    return 4 * this.operations > this.allowed(effort).simulated;
  }

  /** What a pipeline takes however deep it is. */
  private inBulksAtLeast(): Seconds {
    const least = occupancyLowerBound(this.single.schedule, this.routes, this.request.size);
    return Math.max(this.longestBusy(), reducesWithoutOverlap(this.request) ? least * unsynchronisedPenalty : least);
  }

  /** How long the busiest link is taken: bulks are so many messages for each one, so that it is never taken for less. */
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
      if (bulks < least) return Number.POSITIVE_INFINITY;
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
   * Whether bulks follow each other less closely than they could. Not where reducing and sending exclude each other: there the order that channels
   * keep is what keeps neighbours in time; nor with lanes, of which instances make more.
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

  /** Simulated time in so many bulks; of deep pipelines from their first 2·`fill` bulks. */
  private timeOf(schedule: Schedule, bulks: number, fill: number): Seconds {
    const first = (simulated: number): Seconds => this.timeOfFirst(schedule, simulated, bulks);
    if (bulks <= 3 * fill) return first(bulks);
    const [filled, steady] = [first(fill), first(2 * fill)];
    return steady + ((bulks - 2 * fill) * (steady - filled)) / fill;
  }

  /** Of the first so many of all bulks; copies of scratch are left as they are. */
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

/**
 * The plans that `tune` chooses from: every candidate is lowered and proved once, then timed at as many sizes as need be. Pipelines
 * are looked for size by size, and a depth found for one size is known at all others.
 */
import { leastTime, lowerBound, simulate } from '../cost/index.ts';
import { CccError } from '../ir/diagnostic.ts';
import type { Routes } from '../ir/routes.ts';
import type { Schedule, Steps } from '../ir/schedule.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import type { PortfolioRequest } from '../portfolio.ts';
import { leastLinkTime, type Priced, priceWithinLimits, tune } from '../pricing/index.ts';
import { type Candidate, type Dismissal, type Engine, engines } from '../synth/index.ts';

/** What plans are collected for; `size` of the portfolio's request is the tuner's to set. */
export interface PlansRequest extends Omit<PortfolioRequest, 'size' | 'objective' | 'onProgress' | 'onBest'> {
  /** Told what there is so far each time that something has been tried. */
  readonly onTried?: ((soFar: PlanPool) => void) | undefined;
}

/** Pipelines are looked for only where this share of the best time, or less, could be reached. */
const worthwhile = 0.99;

/** Schedules with more transfers are looked at before they are lowered; the others are there to compare with, good or not. */
const fewTransfers = 10_000;

/** A proved plan that remembers how long it takes. */
export class TimedPlan {
  readonly priced: Priced;
  /** The size for which its depth was chosen. */
  readonly tunedFor: Bytes;
  private readonly routes: Routes;
  private readonly times = new Map<Bytes, Seconds>();

  constructor(priced: Priced, tunedFor: Bytes, routes: Routes) {
    this.priced = priced;
    this.tunedFor = tunedFor;
    this.routes = routes;
    this.times.set(tunedFor, priced.cost.seconds);
  }

  /** The candidate's name: the same for all depths. */
  get algorithm(): string {
    return this.priced.candidate.name;
  }

  get bulks(): number {
    return this.priced.proved.plan.bulks;
  }

  /** Simulated time of a message of `size` bytes. */
  secondsAt(size: Bytes): Seconds {
    const known = this.times.get(size);
    if (known !== undefined) return known;
    const { seconds } = simulate(this.priced.proved.plan, this.routes, size);
    this.times.set(size, seconds);
    return seconds;
  }

  /**
   * About the least that the plan may take in any number of bulks: all bytes over its busiest link, and its way from end to end without
   * bytes. Both are always paid, and hardly ever at the same time.
   */
  hopeAt(size: Bytes): Seconds {
    const { cost } = this.priced;
    return this.secondsAt(0) + leastLinkTime({ cost }, this.routes) * (size / this.tunedFor);
  }

  /** The plan with its price at another size. */
  pricedAt(size: Bytes): Priced {
    return { ...this.priced, cost: simulate(this.priced.proved.plan, this.routes, size) };
  }
}

/** All plans that were found, and what could not be used. */
export interface PlanPool {
  readonly plans: readonly TimedPlan[];
  readonly dismissed: readonly Dismissal[];
  readonly stoppedEarly: boolean;
}

/**
 * Collects plans that are good somewhere among `sizes` (ascending).
 * @throws CccError 'unknown-name' for an engine or algorithm nobody has
 */
export function collectPlans(request: PlansRequest, sizes: readonly Bytes[], routes: Routes): PlanPool {
  const collection = new Collection(request, sizes, routes);
  collection.askEngines();
  collection.findDepths();
  return collection;
}

class Collection implements PlanPool {
  readonly plans: TimedPlan[] = [];
  readonly dismissed: Dismissal[] = [];
  stoppedEarly = false;
  private readonly request: PlansRequest;
  private readonly sizes: readonly Bytes[];
  private readonly routes: Routes;
  private readonly seen = new Set<string>();
  /** The best time known at each size. */
  private readonly best: Float64Array;

  constructor(request: PlansRequest, sizes: readonly Bytes[], routes: Routes) {
    this.request = request;
    this.sizes = sizes;
    this.routes = routes;
    this.best = new Float64Array(sizes.length).fill(Number.POSITIVE_INFINITY);
  }

  askEngines(): void {
    for (const engine of chosenEngines(this.request.engine)) {
      const last = this.sizes.length - 1;
      this.askBetween(engine, 0, this.ask(engine, 0), last, last === 0 ? '' : this.ask(engine, last));
    }
  }

  /** Some engines search for a size: where they propose other schedules for two sizes, they are asked for one in between. */
  private askBetween(engine: Engine, low: number, atLow: string, high: number, atHigh: string): void {
    const middle = (low + high) >> 1;
    if (middle === low || atLow === atHigh) return;
    const between = this.ask(engine, middle);
    this.askBetween(engine, low, atLow, middle, between);
    this.askBetween(engine, middle, between, high, atHigh);
  }

  /** Takes up what an engine proposes for one size; returns what tells its proposals from others. */
  private ask(engine: Engine, index: number): string {
    const { request, routes, sizes } = this;
    const keys: string[] = [];
    const size = sizes[index];
    const problem = { ...request, size, routes, chunks: request.chunks, algorithm: request.algorithm };
    for (const proposal of engine.propose(problem)) {
      if (this.timeIsUp()) break;
      if (proposal.kind === 'candidate') keys.push(this.consider(proposal.candidate, size));
      else this.dismiss(proposal.dismissal);
      request.onTried?.(this);
    }
    return keys.join('\n');
  }

  /** Proves and times a candidate that has not been seen yet. */
  private consider(candidate: Candidate, size: Bytes): string {
    const { request, routes, sizes } = this;
    const schedule = this.built(candidate);
    if (schedule === undefined) return candidate.name;
    const key = `${candidate.name} ${fingerprint(schedule.steps)}`;
    if (this.seen.has(key)) return key;
    this.seen.add(key);
    const isLarge = schedule.steps.transferCount > fewTransfers;
    if (isLarge && sizes.every((at, index) => leastTime(schedule, routes, at) > this.best[index])) {
      this.dismiss({ name: candidate.name, reason: 'keeps a link or a chip busy for longer than others take in all' });
      return key;
    }
    const outcome = priceWithinLimits(candidate, { ...request, size }, routes, Number.POSITIVE_INFINITY);
    if (outcome.kind === 'dismissed') this.dismiss(outcome.dismissal);
    else this.add(new TimedPlan(outcome, size, routes));
    return key;
  }

  /** The schedule, unless it exceeds a limit. */
  private built(candidate: Candidate): Schedule | undefined {
    try {
      return candidate.build(1);
    } catch (error) {
      if (!(error instanceof CccError) || error.code !== 'limit') throw error;
      this.dismiss({ name: candidate.name, reason: error.message });
      return undefined;
    }
  }

  private add(plan: TimedPlan): void {
    this.plans.push(plan);
    this.sizes.forEach((size, index) => {
      this.best[index] = Math.min(this.best[index], plan.secondsAt(size));
    });
  }

  private dismiss(dismissal: Dismissal): void {
    if (!this.dismissed.some(({ name, reason }) => name === dismissal.name && reason === dismissal.reason)) {
      this.dismissed.push(dismissal);
    }
  }

  /** Looks for pipelines from the greatest size down, since those that are good there tell what smaller sizes have to beat. */
  findDepths(): void {
    const { request, sizes, routes } = this;
    if (request.bulks !== 'auto') return;
    const singles = [...this.plans];
    for (let index = sizes.length - 1; index >= 0; index--) {
      const size = sizes[index];
      const { seconds: bound } = lowerBound({ ...request.collective, chunks: 1 }, request.topology, size);
      const hopes = singles.map((plan) => ({ plan, hope: plan.hopeAt(size) })).sort((a, b) => a.hope - b.hope);
      for (const { plan, hope } of hopes) {
        if (this.timeIsUp()) return;
        const toBeat = this.best[index] * worthwhile;
        if (hope >= toBeat || bound >= toBeat) break;
        const tuned = tune(plan.pricedAt(size), { ...request, size }, routes, toBeat);
        if (tuned.cost.seconds < this.best[index]) this.add(new TimedPlan(tuned, size, routes));
        request.onTried?.(this);
      }
    }
  }

  private timeIsUp(): boolean {
    this.stoppedEarly ||= this.plans.length > 0 && this.request.shouldStop?.() === true;
    return this.stoppedEarly;
  }
}

/** The engine that is asked for by name, or all that need not be. */
function chosenEngines(wanted: string): readonly Engine[] {
  if (wanted === 'auto') return engines.filter(({ onRequest }) => onRequest !== true);
  const chosen = engines.filter(({ name }) => name === wanted);
  if (chosen.length > 0) return chosen;
  const names = engines.map(({ name }) => name).join(', ');
  throw new CccError('unknown-name', `no engine is called '${wanted}'; there are: auto, ${names}`);
}

/** Tells schedules of one name apart: FNV-1a over who sends what to whom, step by step. */
function fingerprint(steps: Steps): string {
  const { stepStart, source, destination, channel, pieceStart, fromOffset, toOffset, count } = steps;
  let hash = 0x811c9dc5;
  for (const column of [stepStart, source, destination, channel, pieceStart, fromOffset, toOffset, count]) {
    for (const value of column) hash = Math.imul(hash ^ value, 0x01000193);
  }
  return `${steps.stepCount} ${steps.transferCount} ${hash >>> 0}`;
}

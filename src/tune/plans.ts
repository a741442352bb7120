/**
 * Collects the plans among which `tune` chooses: every candidate is lowered and proved once, then timed at as many
 * sizes as needed. Pipelines are first searched at few sizes, and between them only for plans that are good there; a
 * depth found at one size is available at all others.
 */

import { lowerBound } from '../bounds/index.ts';
import { CccError } from '../ir/diagnostic.ts';
import type { Routes } from '../ir/routes.ts';
import { fingerprint, type Schedule } from '../ir/schedule.ts';
import type { Bytes } from '../ir/units.ts';
import { occupancyLowerBound } from '../model/index.ts';
import { type EvaluatedCandidate, evaluateWithinLimits, inManyLanes, tune } from '../search/evaluate/index.ts';
import type { SearchRequest } from '../search/search.ts';
import { type Candidate, type Dismissal, type Engine, enginesNamed } from '../synth/index.ts';
import { tuning } from './limits.ts';
import { TunedPlan } from './timed-plan.ts';

/** What plans are collected for; the tuner sets `size` of the search request. */
export interface PlansRequest extends Omit<SearchRequest, 'size' | 'objective' | 'onProgress' | 'onBest'> {
  /** Called with the plans so far after each attempt. */
  readonly onTried?: ((soFar: PlanPool) => void) | undefined;
}

/** The plans that were found, and what could not be used. */
export interface PlanPool {
  readonly plans: readonly TunedPlan[];
  readonly dismissed: readonly Dismissal[];
  readonly stoppedEarly: boolean;
}

/**
 * Collects plans that are good at some of the `sizes` (ascending).
 * @throws CccError 'unknown-name' for an unknown engine or algorithm
 */
export function collectPlans(request: PlansRequest, sizes: readonly Bytes[], routes: Routes): PlanPool {
  const collection = new Collection(request, sizes, routes);
  collection.askEngines();
  collection.findDepths();
  return collection;
}

class Collection implements PlanPool {
  readonly plans: TunedPlan[] = [];
  readonly dismissed: Dismissal[] = [];
  stoppedEarly = false;
  private readonly request: PlansRequest;
  private readonly sizes: readonly Bytes[];
  private readonly routes: Routes;
  private readonly seen = new Set<string>();
  /** The best time so far at each size. */
  private readonly best: Float64Array;

  constructor(request: PlansRequest, sizes: readonly Bytes[], routes: Routes) {
    this.request = request;
    this.sizes = sizes;
    this.routes = routes;
    this.best = new Float64Array(sizes.length).fill(Number.POSITIVE_INFINITY);
  }

  askEngines(): void {
    for (const engine of enginesNamed(this.request.engine)) {
      const last = this.sizes.length - 1;
      this.askBetween(engine, 0, this.query(engine, 0), last, last === 0 ? '' : this.query(engine, last));
    }
  }

  /**
   * Some engines search for a particular size. If they propose different schedules for two sizes, they are queried for
   * one in between (bisection); for sizes close to each other only while that gains something.
   */
  private askBetween(engine: Engine, low: number, atLow: string, high: number, atHigh: string): void {
    const middle = (low + high) >> 1;
    if (middle === low || atLow === atHigh) return;
    const before = this.best[middle];
    const between = this.query(engine, middle);
    if (this.sizes[high] <= this.sizes[low] * tuning.coarseRatio && this.best[middle] > before * (1 - tuning.leastGain))
      return;
    this.askBetween(engine, low, atLow, middle, between);
    this.askBetween(engine, middle, between, high, atHigh);
  }

  /**
   * Adds the proposals of an engine for one size; returns a key that distinguishes its proposals from those for other
   * sizes.
   */
  private query(engine: Engine, index: number): string {
    const { request, routes, sizes } = this;
    const keys: string[] = [];
    const size = sizes[index];
    for (const proposal of engine.propose({ ...request, size, routes })) {
      if (this.timeIsUp()) break;
      if (proposal.kind === 'candidate') keys.push(this.consider(proposal.candidate, size));
      else this.dismiss(proposal.dismissal);
      request.onTried?.(this);
    }
    return keys.join('\n');
  }

  /** Proves and times a candidate that has not been seen before. */
  private consider(candidate: Candidate, size: Bytes): string {
    const { request, routes, sizes } = this;
    const schedule = this.built(candidate);
    if (schedule === undefined) return candidate.name;
    const key = `${candidate.name} ${fingerprint(schedule.steps)}`;
    if (this.seen.has(key)) return key;
    this.seen.add(key);
    const isLarge = schedule.steps.transferCount > tuning.fewTransfers;
    if (isLarge && sizes.every((at, index) => occupancyLowerBound(schedule, routes, at) > this.best[index])) {
      this.dismiss({
        name: candidate.name,
        reason: 'would keep a link or a chip busy for longer than other candidates take in total',
      });
      return key;
    }
    const outcome = evaluateWithinLimits(candidate, { ...request, size }, routes, Number.POSITIVE_INFINITY);
    if (outcome.kind === 'dismissed') this.dismiss(outcome.dismissal);
    else this.addInInstances(outcome, size);
    return key;
  }

  /** Adds the plan; with a lane model also with its messages split over 2, 4, … lanes while that gains at some size. */
  private addInInstances(single: EvaluatedCandidate, size: Bytes): void {
    const { request, routes, sizes } = this;
    const most = sizes[sizes.length - 1];
    let last = new TunedPlan(single, size, routes);
    this.add(last);
    if (routes.topology.lane === undefined || request.chunks !== undefined) return;
    for (let count = 2; ; count *= 2) {
      const more = inManyLanes(single, count, { ...request, size }, routes);
      if (more === undefined) return;
      const next = new TunedPlan(more, size, routes);
      if (next.secondsAt(most) > last.secondsAt(most)) return;
      this.add(next);
      last = next;
    }
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

  private add(plan: TunedPlan): void {
    this.plans.push(plan);
    const { best, sizes } = this;
    const timeAt = (index: number): void => {
      best[index] = Math.min(best[index], plan.secondsAt(sizes[index]));
    };
    // Times from the ends inwards, so that linear sections are found early.
    const timeBetween = (low: number, high: number): void => {
      const middle = (low + high) >> 1;
      if (middle === low) return;
      timeAt(middle);
      timeBetween(low, middle);
      timeBetween(middle, high);
    };
    timeAt(0);
    timeAt(sizes.length - 1);
    timeBetween(0, sizes.length - 1);
  }

  private dismiss(dismissal: Dismissal): void {
    if (!this.dismissed.some(({ name, reason }) => name === dismissal.name && reason === dismissal.reason)) {
      this.dismissed.push(dismissal);
    }
  }

  /**
   * Searches pipelines: for all plans at few sizes, then between these for the plans that are good on either side; from
   * the largest size down, since plans that are good there set the incumbents for smaller sizes.
   */
  findDepths(): void {
    if (this.request.bulks !== 'auto') return;
    const singles = [...this.plans];
    const coarse = coarseIndices(this.sizes);
    const good = coarse.map((index) => this.findDepthsAt(index, singles));
    coarse.slice(1).forEach((low, position) => {
      const hopeful = [...new Set([...good[position], ...good[position + 1]])];
      for (let index = coarse[position] - 1; index > low; index--) this.findDepthsAt(index, hopeful);
    });
  }

  /** Searches pipelines of `singles` at one size; returns the plans that are good there, in one bulk or several. */
  private findDepthsAt(index: number, singles: readonly TunedPlan[]): readonly TunedPlan[] {
    const { request, routes } = this;
    const size = this.sizes[index];
    const { seconds: bound } = lowerBound({ ...request.collective, chunks: 1 }, request.topology, size);
    const hopes = singles.map((plan) => ({ plan, hope: plan.hopeAt(size) })).sort((a, b) => a.hope - b.hope);
    const rated = singles.map((plan) => ({ plan, seconds: plan.secondsAt(size) }));
    for (const { plan, hope } of hopes) {
      const incumbent = this.best[index] * tuning.worthwhile;
      if (this.timeIsUp() || hope >= incumbent * tuning.promising || bound >= incumbent) break;
      const tuned = tune(plan.evaluatedAt(size), { ...request, size }, routes, this.best[index]);
      rated.push({ plan, seconds: tuned.cost.seconds });
      if (tuned.cost.seconds < this.best[index]) this.add(new TunedPlan(tuned, size, routes));
      request.onTried?.(this);
    }
    const limit = this.best[index] * tuning.promising;
    return [...new Set(rated.flatMap(({ plan, seconds }) => (seconds <= limit ? plan : [])))];
  }

  private timeIsUp(): boolean {
    this.stoppedEarly ||= this.plans.length > 0 && this.request.shouldStop?.() === true;
    return this.stoppedEarly;
  }
}

/** Indices of the largest size, the next that is sufficiently smaller, and so on down to the smallest. */
function coarseIndices(sizes: readonly Bytes[]): readonly number[] {
  const chosen = [sizes.length - 1];
  for (let index = sizes.length - 2; index >= 0; index--) {
    // Sizes are rounded to whole bytes, so ratios may be slightly too small.
    const isFar = sizes[chosen[chosen.length - 1]] >= sizes[index] * tuning.coarseRatio * 0.99;
    if (isFar || index === 0) chosen.push(index);
  }
  return chosen;
}

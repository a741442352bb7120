/**
 * The local search of `optimize`: moves are tried on a schedule one after the other, and each result that is proved and
 * faster than the incumbent replaces it.
 */

import type { PlanOrigin } from '../ir/plan.ts';
import type { Routes } from '../ir/routes.ts';
import type { Schedule } from '../ir/schedule.ts';
import { noticeable, type Seconds } from '../ir/units.ts';
import {
  type EvaluatedCandidate,
  type EvaluationRequest,
  evaluateWithinLimits,
  tune,
  withBestSizes,
} from '../search/evaluate/index.ts';
import { operationsPerTransfer, perCandidate, simulatedPerOperation, stages } from '../search/search-limits.ts';
import { candidateOf } from '../synth/index.ts';
import { bettering } from './limits.ts';
import { type MoveContext, moves, type ScheduleMove } from './moves.ts';

/** A change that was kept. */
export interface Improvement {
  readonly what: string;
  /** Simulated time after the change. */
  readonly seconds: Seconds;
}

const endedNote = 'the search was ended before everything was tried';
const spentNote = 'the budget of the search was used up before everything was tried';

/** A correct plan, its cost, and the name of the candidate that it was made from. */
export interface OptimizedPlan extends Pick<EvaluatedCandidate, 'checked' | 'cost'> {
  readonly candidate: Pick<EvaluatedCandidate['candidate'], 'name'>;
}

/** Holds the incumbent and tries moves on it until none helps. */
export class MoveSearch {
  best: OptimizedPlan | undefined;
  readonly improvements: Improvement[] = [];
  readonly notes: string[] = [];
  private readonly request: EvaluationRequest;
  private readonly routes: Routes;
  private readonly onBetter: (soFar: MoveSearch) => void;
  private seconds: Seconds;
  private spent = 0;
  /** The best result of moves so far. */
  private tuned: EvaluatedCandidate | undefined;

  /**
   * @param seconds the time to beat
   * @param onBetter called after each improvement
   */
  constructor(request: EvaluationRequest, routes: Routes, seconds: Seconds, onBetter: (soFar: MoveSearch) => void) {
    this.request = { ...request, onSimulated: (operations) => this.spend(operations / simulatedPerOperation) };
    this.routes = routes;
    this.seconds = seconds;
    this.onBetter = onBetter;
  }

  run(given: Schedule): void {
    let schedule = given;
    this.attempt(schedule, 'number of bulks and chunks chosen for this size');
    for (let round = 0; round < bettering.mostRounds; round++) {
      const before = schedule;
      for (const move of moves) schedule = this.apply(move, schedule);
      if (schedule === before) return;
    }
  }

  /** Finally tries chunks of unequal size: any further change of the schedule would need other sizes. */
  resize(given: Schedule, bound: Seconds): void {
    const { tuned, request, routes } = this;
    const outcome =
      tuned ?? evaluateWithinLimits(candidateOf(given, originOf(given)), request, routes, Number.POSITIVE_INFINITY);
    if (outcome.kind === 'dismissed') return;
    const sized = withBestSizes(outcome, request, routes, bound);
    if (sized !== undefined) this.keep(sized, 'messages of unequal size');
  }

  /** Finally replaces the result by another plan for the same collective, if that is faster. */
  replace(found: OptimizedPlan, what: string): void {
    this.keep(found, what);
  }

  /** Applies a move; returns the schedule to continue with. */
  private apply(move: ScheduleMove, schedule: Schedule): Schedule {
    const { routes } = this;
    const { size, shouldStop } = this.request;
    const left = (): number => stages.thorough.startLimit - this.spent;
    const context: MoveContext = { routes, size, shouldStop, left, spend: (work) => this.spend(work) };
    let kept = schedule;
    if (this.hasToEnd()) return kept;
    for (const variant of move.variants(schedule, context)) {
      if (this.hasToEnd()) return kept;
      if (this.attempt(variant, move.name)) kept = variant;
    }
    return kept;
  }

  /**
   * Whether the budget of a full `compile` search is used up, after which no further move starts. Makes the search end
   * deterministically.
   */
  private hasToEnd(): boolean {
    const isStopped = this.request.shouldStop?.() === true;
    if (!isStopped && this.spent < stages.thorough.startLimit) return false;
    const why = isStopped ? endedNote : spentNote;
    if (!this.notes.includes(why)) this.notes.push(why);
    return true;
  }

  private spend(work: number): void {
    this.spent += work;
  }

  /** Proves and simulates a schedule, in one bulk or more; returns whether it beats the incumbent. */
  private attempt(schedule: Schedule, what: string): boolean {
    const { request, routes } = this;
    this.spend(perCandidate + schedule.steps.transferCount * operationsPerTransfer);
    const outcome = evaluateWithinLimits(
      candidateOf(schedule, originOf(schedule)),
      request,
      routes,
      Number.POSITIVE_INFINITY,
    );
    if (outcome.kind === 'dismissed') return false;
    const tuned = tune(outcome, request, routes, Math.min(this.seconds, outcome.cost.seconds));
    if (!this.keep(tuned, what)) return false;
    this.tuned = tuned;
    return true;
  }

  private keep(found: OptimizedPlan, what: string): boolean {
    if (found.cost.seconds >= this.seconds * (1 - noticeable)) return false;
    this.best = found;
    this.seconds = found.cost.seconds;
    const { bulks } = found.checked.plan;
    this.improvements.push({ what: bulks === 1 ? what : `${what}, in ${bulks} bulks`, seconds: this.seconds });
    this.onBetter(this);
    return true;
  }
}

function originOf({ name }: Schedule): PlanOrigin {
  return { engine: 'optimize', schedule: name };
}

/** What a candidate costs on a machine: lowered, proved and simulated. */

import type { CollectiveKind } from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import { operationCount, type Plan } from '../../ir/plan.ts';
import { planName } from '../../ir/plan-name.ts';
import type { CostReport } from '../../ir/report.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Schedule } from '../../ir/schedule.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Seconds } from '../../ir/units.ts';
import { type CheckedPlan, verdictText } from '../../ir/verification.ts';
import { lowerToFit, staged } from '../../lower/index.ts';
import { occupancyLowerBound, simulate, simulateShifted } from '../../model/index.ts';
import type { Candidate, Dismissal, Problem } from '../../synth/index.ts';
import { checkByKernel } from '../../verify/index.ts';

/** For what a candidate is priced. */
export interface EvaluationRequest extends Pick<Problem, 'size' | 'chunks' | 'limits' | 'effort'> {
  readonly collective: { readonly kind: CollectiveKind };
  readonly topology: Topology;
  readonly bulks: number | 'auto';
  /** Bulks are of one size, since those of other plans run beside them. */
  readonly inEqualBulks?: true | undefined;
  /** Candidates that cannot be the best are priced all the same, to be shown. */
  readonly exhaustive?: boolean | undefined;
  /** What the target's runtimes have no room for in a plan, told in words; messages are split over no more lanes than leaves it empty. */
  readonly lackingRoom?: ((plan: Plan) => readonly string[]) | undefined;
  /** Told how many operations are simulated, bulk by bulk, while pipeline depths are compared. */
  readonly onSimulated?: ((operations: number) => void) | undefined;
  /** True when the time is up: the best so far is kept. */
  readonly shouldStop?: (() => boolean) | undefined;
}

/** Schedules with more transfers than this are not lowered, proved and simulated only to be shown. */
export const fewTransfers = 500;

/** A candidate that has been proved on this machine, with its price. */
export interface EvaluatedCandidate {
  readonly kind: 'priced';
  readonly candidate: Candidate;
  readonly schedule: Schedule;
  readonly checked: CheckedPlan;
  readonly cost: CostReport;
  /** About what more bulks would make of it, where nobody has looked. */
  readonly inMoreBulks?: Seconds;
}

/** A plan that is not correct on this machine has no price: it is dismissed with the verifier's reason, or the limit it exceeds. */
export type EvaluationOutcome =
  | EvaluatedCandidate
  | { readonly kind: 'dismissed'; readonly dismissal: Dismissal; readonly exceeded?: CccError };

/** As `price`; a candidate that exceeds a limit is dismissed, since others may be smaller. */
export function evaluateWithinLimits(
  candidate: Candidate,
  request: EvaluationRequest,
  routes: Routes,
  bestKnown: Seconds,
): EvaluationOutcome {
  try {
    return evaluateCandidate(candidate, request, routes, bestKnown);
  } catch (error) {
    if (!(error instanceof CccError) || error.code !== 'limit') throw error;
    return { kind: 'dismissed', dismissal: { name: candidate.name, reason: error.message }, exceeded: error };
  }
}

/**
 * The candidate in one bulk, or in as many as the user asked for; dismissed with the verifier's reason if it is wrong
 * here, and unseen if it moves too much to be faster than the best plan known and need not be shown.
 */
export function evaluateCandidate(
  candidate: Candidate,
  request: EvaluationRequest,
  routes: Routes,
  bestKnown: Seconds,
  multiple = 1,
): EvaluationOutcome {
  const schedule = staged(candidate.build(multiple), request.topology);
  const isShown = request.exhaustive === true && schedule.steps.transferCount <= fewTransfers;
  const mayBeSlower = !isShown && Number.isFinite(bestKnown);
  const slower = bestKnown * (1 + 1e-9);
  if (mayBeSlower && occupancyLowerBound(schedule, routes, request.size, slower) > slower) {
    const reason = 'keeps a link or a chip busy for longer than another one takes in all';
    return { kind: 'dismissed', dismissal: { name: candidate.name, reason } };
  }
  const plan = lowerToFit(schedule, planName(candidate.name, request.topology.name), request);
  checkOperationLimit(plan, request.limits);
  const { shape } = schedule.steps;
  const found = checkByKernel(plan, { topology: request.topology, slots: request.limits.slots });
  const { checked } = found;
  if (checked === undefined) {
    const reason = `not correct on this machine: ${verdictText(found.verification)}`;
    return { kind: 'dismissed', dismissal: { name: candidate.name, reason } };
  }
  const cost =
    shape === undefined ? simulate(plan, routes, request.size) : simulateShifted(plan, shape, routes, request.size);
  return { kind: 'priced', candidate, schedule, checked, cost };
}

/** @throws CccError 'limit' for too many operations in all bulks */
export function checkOperationLimit(plan: Plan, limits: Limits): void {
  const { bulks } = plan;
  const operations = operationCount(plan);
  if (operations * bulks <= limits.operations) return;
  const what = bulks === 1 ? `${operations} operations` : `${operations} operations in ${bulks} bulks`;
  throw new CccError('limit', `${what} are more than the limit operations = ${limits.operations}`);
}

/**
 * Evaluates a candidate on a machine: builds its schedule, lowers it to a plan, has the plan checked by the kernel, and
 * simulates it.
 */

import type { CollectiveKind } from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import { operationCount, type Plan } from '../../ir/plan.ts';
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
import { nameOfPlan } from './name-of-plan.ts';

/** The machine-independent settings of an evaluation. */
export interface EvaluationRequest extends Pick<Problem, 'size' | 'chunks' | 'limits' | 'effort'> {
  readonly collective: { readonly kind: CollectiveKind };
  readonly topology: Topology;
  readonly bulks: number | 'auto';
  /** All bulks have the same size, because the plan runs beside plans of other groups. */
  readonly inEqualBulks?: true | undefined;
  /** Evaluates candidates that cannot be the best as well, so that they can be shown. */
  readonly exhaustive?: boolean | undefined;
  /**
   * Reports, in words, the limits of the target's runtimes that a plan exceeds. Messages are split over more lanes only
   * while this list stays empty.
   */
  readonly lackingRoom?: ((plan: Plan, topology: Topology) => readonly string[]) | undefined;
  /** Called with the number of simulated operations, bulk by bulk, while pipeline depths are compared. */
  readonly onSimulated?: ((operations: number) => void) | undefined;
  /** Returns true when the time limit is reached; the best plan so far is then kept. */
  readonly shouldStop?: (() => boolean) | undefined;
}

/** Schedules with more transfers than this are not evaluated only to be shown. */
export const fewTransfers = 500;

/** A candidate whose plan the kernel has accepted on this machine, with its simulated cost. */
export interface EvaluatedCandidate {
  readonly kind: 'priced';
  readonly candidate: Candidate;
  readonly schedule: Schedule;
  readonly checked: CheckedPlan;
  readonly cost: CostReport;
  /** Estimated time in more bulks, if that has not been simulated. */
  readonly inMoreBulks?: Seconds;
}

/**
 * The result of an evaluation: a plan that is wrong on this machine is dismissed with the verifier's reason, or with
 * the limit that it exceeds.
 */
export type EvaluationOutcome =
  | EvaluatedCandidate
  | { readonly kind: 'dismissed'; readonly dismissal: Dismissal; readonly exceeded?: CccError };

/**
 * As `evaluateCandidate`, but dismisses a candidate that exceeds a limit instead of throwing, since other candidates
 * may be smaller.
 */
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
 * Evaluates the candidate in one bulk, or in as many as the user requested. It is dismissed with the verifier's reason
 * if its plan is wrong here; and without being lowered if its occupancy lower bound exceeds the incumbent and it need
 * not be shown.
 * @throws CccError 'limit' for a plan beyond the limits of the request
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
    const reason = 'would keep a link or a chip busy for longer than another candidate takes in total';
    return { kind: 'dismissed', dismissal: { name: candidate.name, reason } };
  }
  const name = nameOfPlan(candidate.origin, request.collective.kind, request.topology.name);
  const plan = lowerToFit(schedule, name, request);
  checkOperationLimit(plan, request.limits);
  checkTargetRoom(plan, request);
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

/** @throws CccError 'limit' for a plan that the target has no room for; with lanes, `withInstances` looks at that */
function checkTargetRoom(plan: Plan, { topology, lackingRoom }: EvaluationRequest): void {
  if (topology.lane !== undefined || lackingRoom === undefined) return;
  const lacking = lackingRoom(plan, topology);
  if (lacking.length > 0) throw new CccError('limit', `the target cannot express the plan: ${lacking.join('; ')}`);
}

/** @throws CccError 'limit' if the plan has too many operations in all its bulks */
export function checkOperationLimit(plan: Plan, limits: Limits): void {
  const { bulks } = plan;
  const operations = operationCount(plan);
  if (operations * bulks <= limits.operations) return;
  const what = bulks === 1 ? `${operations} operations` : `${operations} operations in ${bulks} bulks`;
  throw new CccError('limit', `${what} are more than the limit operations = ${limits.operations}`);
}

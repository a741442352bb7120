/** Ranks candidates by the objective, and makes the rows that `--explain` shows. */

import { lowerBound } from '../bounds/index.ts';
import { type Bound, optimality } from '../ir/report.ts';
import type { Routes } from '../ir/routes.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { simulate } from '../model/index.ts';
import { consistentBound } from './consistent-bound.ts';
import type { EvaluatedCandidate } from './evaluate/index.ts';

/** What is minimised: time at the requested size, time of an empty message, or time of a very large message. */
export type Objective = 'time' | 'latency' | 'bandwidth';

/** A message size in bytes for which latency is negligible, to measure bandwidth. */
const veryLarge: Bytes = 2 ** 50;

/** One row of the candidate table: a candidate with its simulated time. */
export interface CandidateOutline {
  readonly name: string;
  readonly engine: string;
  readonly chunks: number;
  readonly bulks: number;
  readonly steps: number;
  readonly seconds: Seconds;
  readonly optimality: number;
  readonly status: 'chosen' | 'slower';
  /**
   * Estimated time with more bulks, if the search did not try them. `seconds` is then the time with fewer bulks, and does not compare with
   * other rows.
   */
  readonly inMoreBulks?: Seconds;
}

/** A row with the latency and bandwidth terms of the time, which take two more simulations. */
export interface CandidateReport extends CandidateOutline {
  /** Time for a message of no bytes: the latency term. */
  readonly latency: Seconds;
  /** Seconds per byte of very large messages: the bandwidth term. */
  readonly secondsPerByte: number;
  /** The lower bounds that it meets, up to rounding. */
  readonly meets: readonly ('latency' | 'bandwidth')[];
}

/**
 * Candidates in order of the objective, best first. Values that differ only by rounding count as equal; then the shorter time wins, then
 * textbook algorithms (the library's), then the order of proposal.
 */
export function ranked(
  priced: readonly EvaluatedCandidate[],
  objective: Objective,
  routes: Routes,
): readonly EvaluatedCandidate[] {
  const rows = priced.map((candidate) => ({
    candidate,
    value: Number(objectiveValue(candidate, objective, routes).toPrecision(12)),
    seconds: Number(candidate.cost.seconds.toPrecision(12)),
  }));
  const isTextbook = ({ candidate }: (typeof rows)[number]) =>
    candidate.candidate.origin.engine === 'library' ? 1 : 0;
  rows.sort((a, b) => a.value - b.value || a.seconds - b.seconds || isTextbook(b) - isTextbook(a));
  return rows.map(({ candidate }) => candidate);
}

/** The value of the objective in seconds; smaller is better. */
export function objectiveValue(
  { checked, cost }: Pick<EvaluatedCandidate, 'checked' | 'cost'>,
  objective: Objective,
  routes: Routes,
): Seconds {
  switch (objective) {
    case 'time':
      return cost.seconds;
    case 'latency':
      return simulate(checked.plan, routes, 0).seconds;
    case 'bandwidth':
      return simulate(checked.plan, routes, veryLarge).seconds;
  }
}

/**
 * The table row of an evaluated candidate.
 * @param bound the lower bound that its optimality is measured against
 */
export function outline(
  { cost, candidate, schedule, checked, inMoreBulks }: EvaluatedCandidate,
  status: CandidateOutline['status'],
  bound: Bound,
): CandidateOutline {
  return {
    name: candidate.name,
    engine: candidate.origin.engine,
    chunks: checked.plan.collective.chunks,
    bulks: checked.plan.bulks,
    steps: schedule.steps.stepCount,
    seconds: cost.seconds,
    optimality: optimality(bound.seconds, cost.seconds),
    status,
    ...(inMoreBulks === undefined ? {} : { inMoreBulks }),
  };
}

/**
 * The row with latency and bandwidth terms, from two more simulations: of an empty and of a very large message.
 * @throws ContradictedBound if a simulated time is below its lower bound
 */
export function candidateReport(
  priced: EvaluatedCandidate,
  status: CandidateOutline['status'],
  bound: Bound,
  routes: Routes,
): CandidateReport {
  const { plan } = priced.checked;
  const latency = simulate(plan, routes, 0).seconds;
  const large = simulate(plan, routes, veryLarge).seconds;
  const { topology } = routes;
  const boundAt = (size: Bytes, seconds: Seconds): Bound => {
    const found = lowerBound(plan.collective, topology, size);
    return consistentBound(found, { plan, topology, size, seconds }, { candidate: priced.candidate.name });
  };
  const met = (size: Bytes, seconds: Seconds): boolean =>
    optimality(boundAt(size, seconds).seconds, seconds) > 1 - 1e-6;
  return {
    ...outline(priced, status, bound),
    latency,
    secondsPerByte: (large - latency) / veryLarge,
    meets: [
      ...(met(0, latency) ? (['latency'] as const) : []),
      ...(met(veryLarge, large) ? (['bandwidth'] as const) : []),
    ],
  };
}

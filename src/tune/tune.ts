/**
 * Tuning: the best plan for every message size. Candidates are proved once and timed at all sizes, and few of them
 * share the range of sizes. The report also contains what other libraries would run.
 */

import { lowerBound } from '../bounds/index.ts';
import { CccError } from '../ir/diagnostic.ts';
import { optimality } from '../ir/report.ts';
import { Routes } from '../ir/routes.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { consistentBound } from '../search/consistent-bound.ts';
import type { Dismissal } from '../synth/index.ts';
import { ofOneTree } from './one-tree.ts';
import { collectPlans, type PlanPool, type PlansRequest } from './plans.ts';
import { bestAt, rangesFor, type SizeRange } from './ranges.ts';
import type { TunedPlan } from './timed-plan.ts';

export interface TuneRequest extends Omit<PlansRequest, 'onTried'> {
  /** Ascending; switch points are located between them. */
  readonly sizes: readonly Bytes[];
  /**
   * A plan stays in use while it takes at most this share longer than the best (0.01 = 1 %), so that there are few
   * plans.
   */
  readonly tolerance: number;
  /** The machine under each of its protocols; each size uses the best. The topology alone if absent. */
  readonly alternatives?: readonly Topology[] | undefined;
  /**
   * All plans in use reduce by the same tree, so that results are bitwise equal whatever the size of a message and its
   * parts.
   */
  readonly sameBits?: boolean | undefined;
  /** Called with the number of plans so far, and a function that computes the result if the search ended there. */
  readonly onPool?: ((plans: number, result: () => TuneResult) => void) | undefined;
}

/** The result at one size. */
export interface TunedSize {
  readonly size: Bytes;
  /** The plan of its range, and its time. */
  readonly plan: TunedPlan;
  readonly seconds: Seconds;
  /** Time of the best plan that was tried, possibly below that of the plan in use by up to the tolerance. */
  readonly bestSeconds: Seconds;
  readonly bound: Seconds;
  readonly optimality: number;
}

/** Minimum times of one algorithm over all numbers of bulks, one per size. */
export interface AlgorithmCurve {
  readonly algorithm: string;
  readonly seconds: readonly Seconds[];
}

export interface TuneResult {
  readonly routes: Routes;
  readonly sizes: readonly TunedSize[];
  /** Ascending, without gaps; the boundaries are the switch points. */
  readonly ranges: readonly SizeRange[];
  /** The plans in use without duplicates, in the order of their first range. */
  readonly plans: readonly TunedPlan[];
  /** All plans that were timed. */
  readonly pool: readonly TunedPlan[];
  readonly curves: readonly AlgorithmCurve[];
  readonly dismissed: readonly Dismissal[];
  readonly stoppedEarly: boolean;
  /** If requested, the reduction tree that all plans in use share: for each rank, with ranks as leaves. */
  readonly tree: string | undefined;
}

/**
 * Tunes a collective for a topology.
 * @throws CccError 'no-plan' if no engine has a schedule, or none that combines all chunks by one tree where that is
 * required; 'stopped' if none had one in time
 */
export function tuneSizes(request: TuneRequest): TuneResult {
  const { topology, collective, onPool } = request;
  const routes = new Routes(topology);
  const onTried = (soFar: PlanPool): void => {
    if (onPool === undefined) return;
    const usable = usableOf(soFar, request);
    if (usable !== undefined) onPool(soFar.plans.length, () => resultOf(soFar, usable, request, routes, true));
  };
  const pool = collectUnderProtocols({ ...request, onTried }, routes);
  const usable = usableOf(pool, request);
  if (usable === undefined) {
    const reasons = [
      ...(pool.plans.length > 0 ? ['every plan combines some chunks by other trees than others'] : []),
      ...pool.dismissed.map(({ name, reason }) => `${name}: ${reason}`),
    ].join('; ');
    const what = `${collective.kind} on ${topology.name} (${ranksOf(topology)} ranks)`;
    const why = reasons === '' ? 'no schedule is known for it' : reasons;
    if (request.shouldStop?.() !== true) throw new CccError('no-plan', `no plan for ${what}: ${why}`);
    throw new CccError('stopped', `no plan for ${what} before the time was up: ${why}`);
  }
  return resultOf(pool, usable, request, routes, pool.stoppedEarly);
}

/** The plans that may be used, textbook algorithms first; undefined if there are none. */
function usableOf({ plans }: PlanPool, { sameBits, sizes, limits }: TuneRequest): Usable | undefined {
  const pool = textbooksFirst(plans);
  if (sameBits === true) return ofOneTree(pool, sizes, limits);
  return pool.length === 0 ? undefined : { plans: pool, tree: undefined };
}

interface Usable {
  readonly plans: readonly TunedPlan[];
  readonly tree: string | undefined;
}

/** Collects plans under each protocol; each is timed on the machine under its protocol. */
function collectUnderProtocols(
  { alternatives, ...request }: TuneRequest & Pick<PlansRequest, 'onTried'>,
  routes: Routes,
): PlanPool {
  const { sizes, onTried } = request;
  if (alternatives === undefined) return collectPlans(request, sizes, routes);
  const sofar: PlanPool[] = [];
  const together = (pools: readonly PlanPool[]): PlanPool => ({
    plans: pools.flatMap(({ plans }) => plans),
    dismissed: pools.flatMap(({ dismissed }) => dismissed),
    stoppedEarly: pools.some(({ stoppedEarly }) => stoppedEarly),
  });
  for (const topology of alternatives) {
    const onNext = (pool: PlanPool): void => onTried?.(together([...sofar, pool]));
    sofar.push(collectPlans({ ...request, topology, onTried: onNext }, sizes, new Routes(topology)));
  }
  return together(sofar);
}

/** Divides the sizes among the plans. */
function resultOf(
  { plans, dismissed }: PlanPool,
  { plans: usable, tree }: Usable,
  { topology, alternatives = [topology], collective, sizes, tolerance, chunks }: TuneRequest,
  routes: Routes,
  stoppedEarly: boolean,
): TuneResult {
  const pool = textbooksFirst(plans);
  const ranges = rangesFor(usable, sizes, tolerance);
  const unchunked = { ...collective, chunks: chunks ?? 1 };
  const tuned = sizes.map((size): TunedSize => {
    const { plan } = sizeRangeOf(ranges, size);
    const seconds = plan.simulatedSecondsAt(size);
    const bestSeconds = Math.min(seconds, bestAt(pool, size).secondsAt(size));
    // No plan under any protocol takes less than the smallest of their bounds.
    const bounds = alternatives.map((machine) => lowerBound(unchunked, machine, size));
    const least = bounds.reduce((best, next) => (next.seconds < best.seconds ? next : best));
    const chosen = { plan: plan.evaluated.checked.plan, topology: plan.routes.topology, size, seconds };
    const { seconds: bound } = consistentBound(least, chosen, { collective, size });
    return { size, plan, seconds, bestSeconds, bound, optimality: optimality(bound, seconds) };
  });
  const inUse = [...new Set(ranges.map(({ plan }) => plan))];
  return {
    routes,
    sizes: tuned,
    ranges,
    plans: inUse,
    pool,
    curves: curvesOf(pool, sizes),
    dismissed,
    stoppedEarly,
    tree,
  };
}

/** Orders plans such that ties go to published algorithms in as few bulks as possible. */
function textbooksFirst(plans: readonly TunedPlan[]): readonly TunedPlan[] {
  const rank = ({ evaluated }: TunedPlan): number => (evaluated.candidate.origin.engine === 'library' ? 0 : 1);
  return [...plans].sort((a, b) => rank(a) - rank(b));
}

/** The range that contains a size, which lies between the smallest and the largest. */
export function sizeRangeOf(ranges: readonly SizeRange[], size: Bytes): SizeRange {
  return ranges.find(({ to }) => size < to) ?? ranges[ranges.length - 1];
}

function curvesOf(pool: readonly TunedPlan[], sizes: readonly Bytes[]): readonly AlgorithmCurve[] {
  const names = [...new Set(pool.map(({ algorithm }) => algorithm))];
  return names.map((algorithm) => {
    const plans = pool.filter((plan) => plan.algorithm === algorithm);
    return { algorithm, seconds: sizes.map((size) => bestAt(plans, size).secondsAt(size)) };
  });
}

/** The steady state of a pipeline of bulks: the time that each further bulk adds, and a lower bound on that time. */
import type { Plan } from '../../../ir/plan.ts';
import { operationCount } from '../../../ir/plan.ts';
import type { ResourceLoad } from '../../../ir/report.ts';
import type { Routes } from '../../../ir/routes.ts';
import type { Bytes, Seconds } from '../../../ir/units.ts';
import { simulate } from '../../simulate/simulate.ts';
import { followed } from './limits.ts';
import { bulkLoads } from './loads.ts';
import { minRecurrence } from './recurrence.ts';

export interface SteadyState {
  /**
   * Initiation interval (II): the simulated time between consecutive bulks of a full pipeline, in seconds, averaged over as many bulks as filled the
   * pipeline. It is at least `leastInterval`, because the last bulks of a short run save time that the steady state cannot save.
   */
  readonly interval: Seconds;
  /**
   * Lower bound on the interval from the resources and dependencies of this plan, whatever the order in which its operations use links and engines.
   */
  readonly leastInterval: Seconds;
  /** The occupancy of each resource by one bulk, in descending order. */
  readonly loads: readonly ResourceLoad[];
  /**
   * The minimum interval that the dependencies between operations allow; undefined if the resources demand at least as much, or if the plan is too
   * large.
   */
  readonly recurrence: Seconds | undefined;
}

/**
 * Measures the steady state by two simulations of different numbers of bulks.
 *
 * @param size bytes of the whole message (M) of `plan.bulks` bulks; a bulk keeps its size however many are simulated
 * @returns undefined for plans that are too large to simulate several bulks of
 */
export function steadyState(plan: Plan, routes: Routes, size: Bytes): SteadyState | undefined {
  const fill = Math.min(followed.mostFill, Math.floor(followed.simulated / (3 * Math.max(1, operationCount(plan)))));
  if (fill < followed.leastFill) return undefined;
  const timeOf = (bulks: number): Seconds => simulate({ ...plan, bulks }, routes, (size * bulks) / plan.bulks).seconds;
  const simulated = (timeOf(2 * fill) - timeOf(fill)) / fill;
  const loads = bulkLoads(plan, routes, size);
  const busiest = loads.length === 0 ? 0 : loads[0].seconds;
  const least = minRecurrence(plan, routes, size, busiest) ?? busiest;
  return {
    interval: Math.max(simulated, least),
    leastInterval: least,
    loads,
    recurrence: least > busiest ? least : undefined,
  };
}

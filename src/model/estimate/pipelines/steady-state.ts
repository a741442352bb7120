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
   * Simulated time between bulks when the pipeline is full (II): the average over as many bulks as filled it; but no less than the least, since
   * what the last bulks of a short run spare at its end is not spared for ever.
   */
  readonly interval: Seconds;
  /** What resources and waits of this plan ask for at least; no order of its operations on links and engines does better. */
  readonly leastInterval: Seconds;
  /** The busiest resources, most first. */
  readonly loads: readonly ResourceLoad[];
  /** The least interval that the waits between operations allow; undefined where resources ask for as much or plans are too large. */
  readonly recurrence: Seconds | undefined;
}

/**
 * @param size bytes of the whole message of `plan.bulks` bulks; bulks keep their size however many are simulated
 * @returns undefined for plans too large to be simulated for several bulks within the effort
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

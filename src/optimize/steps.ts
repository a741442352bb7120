/**
 * Derives steps from the dependencies of a plan, where the plan's own steps do not have the meaning of schedule steps.
 */
import { isSend, laneOf, operationCount, type Plan } from '../ir/plan.ts';
import { PlanIndex } from '../ir/plan-index.ts';
import type { Schedule } from '../ir/schedule.ts';
import { lower } from '../lower/index.ts';
import { scheduleOfPlan } from '../passes/index.ts';
import { verify } from '../verify/index.ts';
import { bettering } from './limits.ts';

/**
 * Converts a plan to a schedule: in its own steps if these are correct, otherwise in steps derived from its
 * dependencies.
 */
export function scheduleInSteps(plan: Plan): Schedule | undefined {
  const asGiven = scheduleOfPlan(plan);
  if (asGiven === undefined || verify(lower(asGiven)).verdict === 'correct') return asGiven;
  const step = stepsFromDependencies(plan);
  return step === undefined ? asGiven : scheduleOfPlan({ ...plan, ops: { ...plan.ops, step } });
}

/**
 * Schedules each operation as early as its predecessors in the lane and its dependencies allow: in the step after one
 * that writes, in the same step as a send, since in a step everything is read before anything is written. A message has
 * the same step at sender and receiver. Iterates to a fixed point.
 */
function stepsFromDependencies(plan: Plan): Int32Array | undefined {
  const count = operationCount(plan);
  const step = new Int32Array(count);
  const partner = PlanIndex.of(plan).connections.partner;
  for (let pass = 0; pass < bettering.mostPasses; pass++) {
    let isStable = true;
    for (let index = 0; index < count; index++) {
      const least = Math.max(
        step[index],
        earliestStep(plan, index, step),
        partner[index] < 0 ? 0 : step[partner[index]],
      );
      if (least > step[index]) isStable = false;
      step[index] = least;
      if (partner[index] >= 0) step[partner[index]] = Math.max(step[partner[index]], least);
    }
    if (isStable) return step;
  }
  return undefined;
}

function earliestStep(plan: Plan, index: number, step: Int32Array): number {
  const { index: position } = laneOf(plan, index);
  const behind = (other: number): number => step[other] + (isSend(plan, other) ? 0 : 1);
  let least = position === 0 ? 0 : behind(index - 1);
  const { firstAfter, afterOp, afterBulks } = plan.ops;
  for (let a = firstAfter[index]; a < firstAfter[index + 1]; a++) {
    if (afterBulks[a] === 0) least = Math.max(least, behind(afterOp[a]));
  }
  return least;
}

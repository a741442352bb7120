/** The steps of a plan told from its dependencies, where those that it was given do not mean what these say. */
import { laneOf, operationAt, operationCount, type Plan, rankOfLane } from '../ir/plan.ts';
import type { Schedule } from '../ir/schedule.ts';
import { lower } from '../lower/index.ts';
import { scheduleOfPlan } from '../passes/index.ts';
import { verify } from '../verify/index.ts';
import { bettering } from './limits.ts';

/** The plan as a schedule: in its own steps if these are right, otherwise in those that its dependencies say. */
export function scheduleInSteps(plan: Plan): Schedule | undefined {
  const asGiven = scheduleOfPlan(plan);
  if (asGiven === undefined || verify(lower(asGiven)).verdict === 'correct') return asGiven;
  const step = stepsFromDependencies(plan);
  return step === undefined ? asGiven : scheduleOfPlan({ ...plan, ops: { ...plan.ops, step } });
}

/**
 * Each operation as early as those before it in its lane and those it waits for allow: in the step after one that writes, in the same
 * step as a send, since in a step everything is read before anything is written. A message has one step, for sender and receiver.
 */
function stepsFromDependencies(plan: Plan): Int32Array | undefined {
  const count = operationCount(plan);
  const step = new Int32Array(count);
  const partner = partnersOf(plan);
  for (let pass = 0; pass < bettering.mostPasses; pass++) {
    let isStable = true;
    for (let index = 0; index < count; index++) {
      const least = Math.max(step[index], leastStep(plan, index, step), partner[index] < 0 ? 0 : step[partner[index]]);
      if (least > step[index]) isStable = false;
      step[index] = least;
      if (partner[index] >= 0) step[partner[index]] = Math.max(step[partner[index]], least);
    }
    if (isStable) return step;
  }
  return undefined;
}

function leastStep(plan: Plan, index: number, step: Int32Array): number {
  const { index: position } = laneOf(plan, index);
  const behind = (other: number): number => step[other] + (operationAt(plan, other).op === 'send' ? 0 : 1);
  let least = position === 0 ? 0 : behind(index - 1);
  const { firstAfter, afterOp, afterBulks } = plan.ops;
  for (let a = firstAfter[index]; a < firstAfter[index + 1]; a++) {
    if (afterBulks[a] === 0) least = Math.max(least, behind(afterOp[a]));
  }
  return least;
}

/** The receive of each send and the send of each receive; −1 for local operations. */
function partnersOf(plan: Plan): Int32Array {
  const partner = new Int32Array(operationCount(plan)).fill(-1);
  const sends = new Map<string, number[]>();
  const receives = new Map<string, number[]>();
  for (let index = 0; index < partner.length; index++) {
    const operation = operationAt(plan, index);
    if (operation.op === 'copy' || operation.op === 'reduce') continue;
    const rank = rankOfLane(plan, laneOf(plan, index).lane);
    const isSend = operation.op === 'send';
    const key = `${isSend ? rank : operation.peer} ${isSend ? operation.peer : rank} ${operation.channel}`;
    const queues = isSend ? sends : receives;
    const queue = queues.get(key) ?? [];
    queue.push(index);
    queues.set(key, queue);
  }
  for (const [key, queue] of sends) {
    queue.forEach((send, position) => {
      const receive = receives.get(key)?.[position];
      if (receive === undefined) return;
      partner[send] = receive;
      partner[receive] = send;
    });
  }
  return partner;
}

/** A sequential order in which the operations of a plan can run if connections buffer any number of messages. */

import { byGroup } from './column.ts';
import { intAt } from './indexing.ts';
import { isSend, operationCount, type Plan } from './plan.ts';
import { PlanIndex } from './plan-index.ts';

/**
 * The operations of one bulk in topological order (Kahn 1962) of lane order, waits within the bulk, and messages. For a plan that deadlocks even on
 * unbounded connections, the result holds only the operations that can run.
 */
export function runOrder(plan: Plan): Int32Array {
  const { laneOf, connections } = PlanIndex.of(plan);
  const { partner } = connections;
  const { firstOp } = plan;
  const { first, waiting } = waitsWithinBulk(plan);
  const missing = countPredecessors(plan, partner);
  const order = new Int32Array(operationCount(plan));
  let found = 0;
  const complete = (predecessorOf: number): void => {
    const left = intAt(missing, predecessorOf) - 1;
    missing[predecessorOf] = left;
    if (left === 0) order[found++] = predecessorOf;
  };
  for (let o = 0; o < order.length; o++) if (missing[o] === 0) order[found++] = o;
  for (let at = 0; at < found; at++) {
    const operation = intAt(order, at);
    if (intAt(partner, operation) >= 0 && isSend(plan, operation)) complete(intAt(partner, operation));
    for (let w = intAt(first, operation + 1) - 1; w >= intAt(first, operation); w--) complete(intAt(waiting, w));
    if (operation + 1 < intAt(firstOp, intAt(laneOf, operation) + 1)) complete(operation + 1);
  }
  return order.subarray(0, found);
}

/** The operations that wait for operation o in the same bulk: `waiting[first[o] … first[o + 1] − 1]`, in ascending order. */
function waitsWithinBulk({ ops }: Plan): { readonly first: Int32Array; readonly waiting: Int32Array } {
  const operations = ops.kind.length;
  const waiter = new Int32Array(ops.afterOp.length);
  for (let o = 0; o < operations; o++) waiter.fill(o, intAt(ops.firstAfter, o), intAt(ops.firstAfter, o + 1));
  const awaited = ops.afterOp.map((operation, wait) => (ops.afterBulks[wait] === 0 ? operation : -1));
  const { first, rows } = byGroup(awaited, operations);
  return { first, waiting: rows.map((wait) => intAt(waiter, wait)) };
}

/**
 * By operation, the number of its direct predecessors: the operation before it in its lane, its waits within the bulk, and for a receive its send.
 */
function countPredecessors(plan: Plan, partner: Int32Array): Int32Array {
  const { ops, firstOp } = plan;
  const missing = new Int32Array(operationCount(plan));
  for (let lane = 0; lane + 1 < firstOp.length; lane++) {
    for (let o = intAt(firstOp, lane) + 1; o < intAt(firstOp, lane + 1); o++) missing[o] = intAt(missing, o) + 1;
  }
  for (let o = 0; o < missing.length; o++) {
    for (let a = intAt(ops.firstAfter, o); a < intAt(ops.firstAfter, o + 1); a++)
      if (ops.afterBulks[a] === 0) missing[o] = intAt(missing, o) + 1;
    if (intAt(partner, o) >= 0 && !isSend(plan, o)) missing[o] = intAt(missing, o) + 1;
  }
  return missing;
}

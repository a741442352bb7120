/** The order of a rank's operations that a plan's lanes and waits require, and that the written file must preserve. */
import type { Plan } from '../../ir/plan.ts';

/** The operations of one rank: `first … end − 1`, lane by lane. */
export interface RankOperations {
  readonly rank: number;
  readonly first: number;
  readonly end: number;
  /** `before[operation − first]`: the operations that must be complete first. */
  readonly before: readonly (readonly number[])[];
  /** `laneOf[operation − first]`: the index of its lane. */
  readonly laneOf: Int32Array;
}

/**
 * Collects the operations of a rank. Waits between bulks are left out, since the runtime passes slices of the message through the same steps, each
 * with scratch of its own.
 */
export function operationsOfRank(plan: Plan, rank: number): RankOperations {
  const { firstLane, firstOp, ops } = plan;
  const first = firstOp[firstLane[rank]];
  const end = firstOp[firstLane[rank + 1]];
  const before: number[][] = [];
  const laneOf = new Int32Array(end - first);
  for (let lane = firstLane[rank]; lane < firstLane[rank + 1]; lane++) {
    for (let operation = firstOp[lane]; operation < firstOp[lane + 1]; operation++) {
      const earlier = operation === firstOp[lane] ? [] : [operation - 1];
      for (let a = ops.firstAfter[operation]; a < ops.firstAfter[operation + 1]; a++) {
        if (ops.afterBulks[a] === 0) earlier.push(ops.afterOp[a]);
      }
      before.push(earlier);
      laneOf[operation - first] = lane;
    }
  }
  return { rank, first, end, before, laneOf };
}

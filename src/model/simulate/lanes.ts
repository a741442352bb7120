/** The progress of each lane: its current operation, the lanes that can continue, and those that wait for operations of other lanes (`after`). */

import { none } from '../../ir/none.ts';
import { operationCount, type Plan } from '../../ir/plan.ts';

export class LaneCursors {
  /** The operation each lane is at, and its bulk. */
  readonly cursor: Int32Array;
  readonly bulk: Int32Array;
  /** The instance that blocked each lane last. */
  readonly heldBy: Int32Array;
  private readonly plan: Plan;
  private readonly runnable: number[] = [];
  private unfinishedLanes: number;
  /** In how many bulks each operation is complete. */
  private readonly completed: Int32Array;
  /** The lanes that wait for each operation, as linked lists: a lane waits for one operation at a time. */
  private readonly firstWaiter: Int32Array;
  private readonly nextWaiter: Int32Array;

  constructor(plan: Plan) {
    const lanes = plan.laneId.length;
    const operations = operationCount(plan);
    this.plan = plan;
    this.cursor = plan.firstOp.slice(0, lanes);
    this.bulk = new Int32Array(lanes);
    this.heldBy = new Int32Array(lanes).fill(none);
    this.completed = new Int32Array(operations);
    this.firstWaiter = new Int32Array(operations).fill(none);
    this.nextWaiter = new Int32Array(lanes).fill(none);
    for (let lane = 0; lane < lanes; lane++) {
      if (plan.firstOp[lane] < plan.firstOp[lane + 1]) this.runnable.push(lane);
    }
    this.unfinishedLanes = this.runnable.length;
  }

  /** The number of lanes that have not finished their last bulk. */
  get unfinished(): number {
    return this.unfinishedLanes;
  }

  /** A lane that may be able to continue, or undefined. */
  nextRunnable(): number | undefined {
    return this.runnable.pop();
  }

  /** The operation that a lane can issue now; −1 if the lane has finished, or if it must wait and will become runnable later. */
  reach(lane: number): number {
    const { firstOp, bulks } = this.plan;
    if (this.cursor[lane] === firstOp[lane + 1]) {
      if (++this.bulk[lane] === bulks) {
        this.unfinishedLanes--;
        return none;
      }
      this.cursor[lane] = firstOp[lane];
    }
    const operation = this.cursor[lane];
    return this.mustWait(lane, operation) ? none : operation;
  }

  /** Completes the current operation of a lane, advances the lane and resumes the lanes that waited for that operation. */
  complete(lane: number): void {
    const operation = this.cursor[lane]++;
    this.completed[operation]++;
    let waiter = this.firstWaiter[operation];
    this.firstWaiter[operation] = none;
    while (waiter !== none) {
      const next = this.nextWaiter[waiter];
      this.resume(waiter, this.heldBy[lane]);
      waiter = next;
    }
  }

  /** Makes a lane runnable again that an instance has blocked. */
  resume(lane: number, heldBy: number): void {
    this.heldBy[lane] = heldBy;
    this.runnable.push(lane);
  }

  private mustWait(lane: number, operation: number): boolean {
    const { firstAfter, afterOp, afterBulks } = this.plan.ops;
    for (let a = firstAfter[operation]; a < firstAfter[operation + 1]; a++) {
      const needed = afterOp[a];
      if (this.completed[needed] > this.bulk[lane] - afterBulks[a]) continue;
      this.nextWaiter[lane] = this.firstWaiter[needed];
      this.firstWaiter[needed] = lane;
      return true;
    }
    return false;
  }
}

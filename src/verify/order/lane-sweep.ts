/**
 * The exact answer to "is x before y?" for all x of one lane at once: a pass over a run finds how far that lane has
 * certainly come whenever any operation runs.
 */
import { CccError } from '../../ir/diagnostic.ts';
import { isSend, operationCount } from '../../ir/plan.ts';
import type { Ownership } from '../ownership.ts';

import type { HappensBefore } from './happens-before.ts';

/** Operations that sweeps may pass in all; a plan that would take more is refused. */
const mostSteps = 2 ** 32;

export class LaneSweep {
  private steps = 0;
  private readonly happens: HappensBefore;
  private readonly ownership: Ownership;
  /**
   * Per operation, the largest position of an operation of the lane that is certainly complete when it runs, counting
   * index + bulk × length of the lane, with the operation itself in bulk 0; −Infinity where nothing is known. As one event
   * an operation counts as complete when it runs; under strict ownership only what comes after it locally counts it.
   */
  private readonly known: Float64Array;
  private lane = 0;
  private reach = 0;

  constructor(happens: HappensBefore, ownership: Ownership) {
    this.happens = happens;
    this.ownership = ownership;
    this.known = new Float64Array(operationCount(happens.index.plan)).fill(Number.NEGATIVE_INFINITY);
  }

  /**
   * Sweeps over operations given in an order in which they can run. If they are not all operations, only paths through
   * the given ones are found. `reach` is how many bulks back the lane is looked for. `ask` may then use `position`.
   */
  over(operations: Int32Array, lane: number, reach: number, ask: () => void): void {
    this.lane = lane;
    this.reach = reach;
    for (let again = true; again; ) {
      again = false;
      this.steps += operations.length;
      if (this.steps > mostSteps) throw new CccError('limit', `to look for races takes more than ${mostSteps} steps`);
      for (const operation of operations) {
        const position = this.arrive(operation);
        if (position <= this.known[operation]) continue;
        this.known[operation] = position;
        // Edges from earlier bulks lead backwards in the order; each further pass follows one more of them.
        again = reach > 0;
      }
    }
    ask();
    for (const operation of operations) this.known[operation] = Number.NEGATIVE_INFINITY;
  }

  /** How far the swept lane has come, to the rank's knowledge, before an operation may touch its slices. */
  position(operation: number): number {
    if (this.ownership === 'event') return this.known[operation];
    this.happens.predecessors(operation);
    return this.latest(this.happens.locals, this.happens.locals);
  }

  private arrive(operation: number): number {
    const { happens } = this;
    const count = happens.predecessors(operation);
    // Without buffers, what a send or its receive waits for locally is complete before either is posted.
    const joint = happens.inflight === 0 && isSend(happens.index.plan, operation);
    const position = this.latest(count, joint ? count : happens.locals);
    if (this.ownership === 'strict') return position;
    const receive = happens.jointReceive(operation);
    return Math.max(position, this.own(operation), receive === -1 ? Number.NEGATIVE_INFINITY : this.own(receive));
  }

  /** The furthest that the first `count` predecessors know of; the first `completing` of them are known to be complete themselves. */
  private latest(count: number, completing: number): number {
    const { happens, known } = this;
    const { firstOp } = happens.index.plan;
    const length = firstOp[this.lane + 1] - firstOp[this.lane];
    let position = Number.NEGATIVE_INFINITY;
    for (let p = 0; p < count; p++) {
      const before = happens.before[p];
      const gap = happens.gap[p];
      if (gap > this.reach) continue;
      const at = p < completing ? Math.max(known[before], this.own(before)) : known[before];
      position = Math.max(position, at - gap * length);
    }
    return position < -this.reach * length ? Number.NEGATIVE_INFINITY : position;
  }

  private own(operation: number): number {
    const { plan, laneOf } = this.happens.index;
    return laneOf[operation] === this.lane ? operation - plan.firstOp[this.lane] : Number.NEGATIVE_INFINITY;
  }
}

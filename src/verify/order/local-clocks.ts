/**
 * What comes before what within one rank by lane order and `after` alone, as vector clocks: for an operation and a lane, the last
 * operation of that lane that is complete when it runs. Plans whose waits order all accesses of a rank need nothing else. What it
 * sees is so under any ownership; a no only means "not seen".
 */
import type { PlanIndex } from '../plan-index.ts';

/** Clock entries kept for one rank; what would need more is not seen. */
const mostEntries = 2 ** 22;

export class LocalClocks {
  private readonly index: PlanIndex;
  /** The row of `clocks` that an operation knows, −1 where it knows of no other lane. */
  private readonly rowOf: Int32Array;
  /** One row per wait that tells something new, with an entry for each lane of the rank. */
  private clocks = new Int32Array(1024);
  private used = 0;
  private firstLane = 0;
  private lanes = 0;

  constructor(index: PlanIndex) {
    this.index = index;
    this.rowOf = new Int32Array(index.laneOf.length);
  }

  /** Takes the operations of one rank, in an order in which they can run; those of other ranks are forgotten. */
  over(operations: Int32Array): void {
    const { plan, laneOf, rankOf } = this.index;
    if (operations.length === 0) return;
    const rank = rankOf[operations[0]];
    this.firstLane = plan.firstLane[rank];
    this.lanes = plan.firstLane[rank + 1] - this.firstLane;
    this.used = 0;
    for (let at = 0; at < operations.length; at++) {
      const operation = operations[at];
      const isFirst = operation === plan.firstOp[laneOf[operation]];
      this.rowOf[operation] = this.withWaits(operation, isFirst ? -1 : this.rowOf[operation - 1]);
    }
  }

  /** True only if `earlier`, which the order has first, is complete before `later` of the same rank and bulk starts. */
  isBefore(earlier: number, later: number): boolean {
    const { laneOf } = this.index;
    const lane = laneOf[earlier];
    if (lane === laneOf[later]) return true;
    return this.knows(this.rowOf[later], lane - this.firstLane, earlier);
  }

  private knows(row: number, lane: number, operation: number): boolean {
    return row !== -1 && this.clocks[row * this.lanes + lane] >= operation;
  }

  /** The row of an operation: what its lane knew before, and all that its waits tell. */
  private withWaits(operation: number, before: number): number {
    const { plan, laneOf } = this.index;
    const { firstAfter, afterOp, afterBulks } = plan.ops;
    let row = before;
    for (let a = firstAfter[operation]; a < firstAfter[operation + 1]; a++) {
      const awaited = afterOp[a];
      const lane = laneOf[awaited] - this.firstLane;
      if (afterBulks[a] !== 0 || laneOf[awaited] === laneOf[operation] || this.knows(row, lane, awaited)) continue;
      if (row === before && !this.reserve()) return before;
      if (row === before) row = this.copyOf(before);
      this.add(row, this.rowOf[awaited]);
      this.clocks[row * this.lanes + lane] = awaited;
    }
    return row;
  }

  /** Makes room for one more row; false where there shall be none. */
  private reserve(): boolean {
    const needed = (this.used + 1) * this.lanes;
    if (needed > mostEntries) return false;
    if (needed > this.clocks.length) {
      const larger = new Int32Array(2 * needed);
      larger.set(this.clocks);
      this.clocks = larger;
    }
    return true;
  }

  private copyOf(row: number): number {
    const { clocks, lanes } = this;
    const to = this.used * lanes;
    const from = row * lanes;
    for (let lane = 0; lane < lanes; lane++) clocks[to + lane] = row === -1 ? -1 : clocks[from + lane];
    return this.used++;
  }

  private add(row: number, other: number): void {
    if (other === -1) return;
    const { clocks, lanes } = this;
    const to = row * lanes;
    const from = other * lanes;
    for (let lane = 0; lane < lanes; lane++)
      if (clocks[from + lane] > clocks[to + lane]) clocks[to + lane] = clocks[from + lane];
  }
}

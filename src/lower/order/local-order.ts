/**
 * The partial order among the operations of one rank that lane order and waits imply, as vector clocks: by operation and lane, the last operation of
 * that lane that is known to be complete. It serves to leave out waits that are implied.
 */
import { IntRows } from '../../ir/column.ts';

/** Max number of clock entries that are stored for one rank. Beyond it, some implied waits are kept, which costs little and is harmless. */
export const maxClockEntries = 2 ** 24;

/** Columns of the row of an operation. */
const Field = { lane: 0, index: 1, clock: 2 } as const;
const fields = Object.keys(Field).length;

export class LocalOrder {
  /** Lanes of the rank. */
  lanes = 0;
  /** By operation: its lane, its index there, and the row of `clocks` with what is complete before it (−1: nothing). */
  private readonly operations = new IntRows(fields);
  private laneLength = new Int32Array(0);
  private laneLast = new Int32Array(0);
  private laneClock = new Int32Array(0);
  private clocks = new Int32Array(0);
  private clockRows = 0;
  /** The latest operation of each lane that the next operation was asked to wait for, −1 for none. */
  private asked = new Int32Array(0);
  private askedLanes = new Int32Array(0);
  private askedCount = 0;
  private known = new Int32Array(0);
  /** The result of `place`: operations to wait for, the latest first. */
  private kept = new Int32Array(0);
  private keptCount = 0;

  constructor(lanes: number) {
    this.start(lanes);
  }

  /** Resets the order for another rank. */
  start(lanes: number): void {
    this.lanes = lanes;
    this.operations.clear();
    this.laneLength = new Int32Array(lanes);
    this.laneLast = new Int32Array(lanes).fill(-1);
    this.laneClock = new Int32Array(lanes).fill(-1);
    this.asked = new Int32Array(lanes).fill(-1);
    this.askedLanes = new Int32Array(lanes);
    this.known = new Int32Array(lanes);
    this.kept = new Int32Array(lanes);
    this.clockRows = 0;
    if (this.clocks.length < lanes * 16) this.clocks = new Int32Array(lanes * 16);
  }

  laneOf(operation: number): number {
    return this.operations.cells[operation * fields + Field.lane];
  }

  /** The index of an operation in its lane. */
  indexOf(operation: number): number {
    return this.operations.cells[operation * fields + Field.index];
  }

  /** The last operation of a lane so far. */
  lastOf(lane: number): number {
    return this.laneLast[lane];
  }

  /** Requests that the operation which is placed next waits for an earlier one. */
  ask(operation: number): void {
    const lane = this.laneOf(operation);
    if (this.asked[lane] < 0) this.askedLanes[this.askedCount++] = lane;
    if (operation > this.asked[lane]) this.asked[lane] = operation;
  }

  /**
   * Appends an operation to a lane. Returns the number of operations for which it must wait: the requested ones that nothing else implies.
   * `waitedFor` returns them, the earliest first.
   */
  place(lane: number): number {
    const wanted = this.takeAsked(lane);
    let clock = this.laneClock[lane];
    this.keptCount = 0;
    if (wanted > 0) {
      this.recall(clock);
      this.keepNeeded(wanted);
      if (this.keptCount > 0) clock = this.storeKnown(clock);
    }
    this.laneLast[lane] = this.operations.length;
    const at = this.operations.add();
    const { cells } = this.operations;
    cells[at + Field.lane] = lane;
    cells[at + Field.index] = this.laneLength[lane]++;
    cells[at + Field.clock] = clock;
    this.laneClock[lane] = clock;
    return this.keptCount;
  }

  /** The operation number `at` among those for which the operation that was placed last must wait. */
  waitedFor(at: number): number {
    return this.kept[this.keptCount - 1 - at];
  }

  /** Adds to a clock an operation and everything that is complete before it. */
  addPast(operation: number, clock: Int32Array): void {
    const { lanes, clocks } = this;
    const start = this.operations.cells[operation * fields + Field.clock] * lanes;
    if (start >= 0) {
      for (let lane = 0; lane < lanes; lane++)
        if (clocks[start + lane] > clock[lane]) clock[lane] = clocks[start + lane];
    }
    const lane = this.laneOf(operation);
    const index = this.indexOf(operation);
    if (index > clock[lane]) clock[lane] = index;
  }

  /**
   * Replaces the lanes in `askedLanes` by the last requested operation of each, the latest first, without the lane of the waiting operation itself,
   * which needs no wait. Returns how many there are.
   */
  private takeAsked(ownLane: number): number {
    const { asked, askedLanes } = this;
    let wanted = 0;
    for (let i = 0; i < this.askedCount; i++) {
      const lane = askedLanes[i];
      const operation = asked[lane];
      asked[lane] = -1;
      if (lane === ownLane) continue;
      let at = wanted++;
      for (; at > 0 && askedLanes[at - 1] < operation; at--) askedLanes[at] = askedLanes[at - 1];
      askedLanes[at] = operation;
    }
    this.askedCount = 0;
    return wanted;
  }

  private recall(clock: number): void {
    const { known, clocks, lanes } = this;
    for (let lane = 0; lane < lanes; lane++) known[lane] = clock < 0 ? -1 : clocks[clock * lanes + lane];
  }

  /**
   * Selects the waits that are needed. A later operation may imply an earlier one and never the reverse, so going from the latest to the earliest
   * keeps the fewest.
   */
  private keepNeeded(wanted: number): void {
    for (let i = 0; i < wanted; i++) {
      const operation = this.askedLanes[i];
      if (this.known[this.laneOf(operation)] >= this.indexOf(operation)) continue;
      this.kept[this.keptCount++] = operation;
      this.addPast(operation, this.known);
    }
  }

  /**
   * Stores the current clock as a new row. If there is no room, the operation gets the clock from before, which claims less and is therefore safe.
   */
  private storeKnown(before: number): number {
    const { known, lanes } = this;
    const start = this.clockRows * lanes;
    if (start + lanes > maxClockEntries) return before;
    if (start + lanes > this.clocks.length) {
      const larger = new Int32Array(this.clocks.length * 2);
      larger.set(this.clocks);
      this.clocks = larger;
    }
    const { clocks } = this;
    for (let lane = 0; lane < lanes; lane++) clocks[start + lane] = known[lane];
    return this.clockRows++;
  }
}

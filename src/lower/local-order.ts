/**
 * What comes before what among the operations of one rank, by lane order and waits, as vector clocks: for an operation and
 * a lane, the last operation of that lane that is known to be complete. Keeps waits to those that are not implied.
 */

/** Clock entries kept for one rank; beyond that some implied waits stay, which costs a little and harms nothing. */
const mostClockEntries = 2 ** 24;

export class LocalOrder {
  readonly lanes: number;
  /** Lane and place in it of each operation, and the row of `clocks` with what was complete before it (−1: nothing). */
  private readonly lane: number[] = [];
  private readonly index: number[] = [];
  private readonly row: number[] = [];
  private readonly laneLength: Int32Array;
  private readonly laneLast: Int32Array;
  private readonly laneRow: Int32Array;
  private clocks: Int32Array;
  private rows = 0;
  /** The latest operation of each lane that the next operation was asked to wait for, −1 for none. */
  private readonly asked: Int32Array;
  private askedLanes: number[] = [];
  private readonly known: Int32Array;

  constructor(lanes: number) {
    this.lanes = lanes;
    this.laneLength = new Int32Array(lanes);
    this.laneLast = new Int32Array(lanes).fill(-1);
    this.laneRow = new Int32Array(lanes).fill(-1);
    this.asked = new Int32Array(lanes).fill(-1);
    this.known = new Int32Array(lanes);
    this.clocks = new Int32Array(lanes * 16);
  }

  laneOf(operation: number): number {
    return this.lane[operation];
  }

  /** An operation's place in its lane. */
  indexOf(operation: number): number {
    return this.index[operation];
  }

  /** The last operation of a lane so far. */
  lastOf(lane: number): number {
    return this.laneLast[lane];
  }

  /** Asks that the operation placed next waits for an earlier one. */
  ask(operation: number): void {
    const lane = this.lane[operation];
    if (this.asked[lane] < 0) this.askedLanes.push(lane);
    if (operation > this.asked[lane]) this.asked[lane] = operation;
  }

  /** Appends an operation to a lane. Returns the operations it must wait for: those asked for that nothing else implies. */
  place(lane: number): readonly number[] {
    const wanted = this.takeAsked(lane);
    const before = this.laneRow[lane];
    let row = before;
    let kept: readonly number[] = wanted;
    if (wanted.length > 0) {
      this.recall(before);
      kept = this.keepNeeded(wanted);
      if (kept.length > 0) row = this.storeKnown(before);
    }
    this.laneLast[lane] = this.lane.length;
    this.lane.push(lane);
    this.index.push(this.laneLength[lane]++);
    this.row.push(row);
    this.laneRow[lane] = row;
    return kept;
  }

  /** Adds to a clock an operation and everything that is complete before it. */
  addPast(operation: number, clock: Int32Array): void {
    const row = this.row[operation];
    if (row >= 0) {
      const start = row * this.lanes;
      for (let lane = 0; lane < this.lanes; lane++) {
        if (this.clocks[start + lane] > clock[lane]) clock[lane] = this.clocks[start + lane];
      }
    }
    const lane = this.lane[operation];
    if (this.index[operation] > clock[lane]) clock[lane] = this.index[operation];
  }

  /** What was asked for, the last of each lane, latest first; the own lane needs no waiting. */
  private takeAsked(ownLane: number): number[] {
    const wanted: number[] = [];
    for (const lane of this.askedLanes) {
      if (lane !== ownLane) wanted.push(this.asked[lane]);
      this.asked[lane] = -1;
    }
    this.askedLanes = [];
    return wanted.length < 2 ? wanted : wanted.sort((a, b) => b - a);
  }

  private recall(row: number): void {
    if (row < 0) this.known.fill(-1);
    else this.known.set(this.clocks.subarray(row * this.lanes, (row + 1) * this.lanes));
  }

  /** Later operations may imply earlier ones and never the reverse, so going from late to early finds the fewest. */
  private keepNeeded(wanted: readonly number[]): readonly number[] {
    const kept: number[] = [];
    for (const operation of wanted) {
      if (this.known[this.lane[operation]] >= this.index[operation]) continue;
      kept.push(operation);
      this.addPast(operation, this.known);
    }
    return kept.reverse();
  }

  /** Stores what is known now as a new row; when there is no room, what was known before stands. */
  private storeKnown(before: number): number {
    const start = this.rows * this.lanes;
    if (start + this.lanes > mostClockEntries) return before;
    if (start + this.lanes > this.clocks.length) {
      const larger = new Int32Array(this.clocks.length * 2);
      larger.set(this.clocks);
      this.clocks = larger;
    }
    this.clocks.set(this.known, start);
    return this.rows++;
  }
}

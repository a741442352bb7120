/**
 * What is complete of the bulk before when an operation of some bulk runs: all of every lane that it has waited for in its
 * own bulk, and whatever it or they waited for in the bulk before. Keeps waits between bulks to those that are not implied.
 */
import type { LocalOrder } from './local-order.ts';

/** Clock entries kept for one rank; beyond that some implied waits stay. */
const mostClockEntries = 2 ** 24;

const wholeLane = 2 ** 31 - 1;

export class BulkOrder {
  private readonly order: LocalOrder;
  /** Per operation and lane: the last operation of the bulk before that is complete when it runs. */
  private readonly clocks: (Int32Array | undefined)[] = [];
  private readonly latest: (Int32Array | undefined)[] = [];
  private entries = 0;

  constructor(order: LocalOrder) {
    this.order = order;
  }

  /**
   * Takes the operations of a program in order.
   * @param waits what the operation waits for in its own bulk
   * @param wanted what it must come after in the bulk before
   * @returns those of `wanted` that nothing else implies
   */
  place(waits: readonly number[], wanted: readonly number[]): readonly number[] {
    const { order } = this;
    const operation = this.clocks.length;
    const lane = order.laneOf(operation);
    const before = this.latest[lane];
    if (before !== undefined && waits.length === 0 && wanted.length === 0) {
      this.clocks.push(before);
      return [];
    }
    const clock = before?.slice() ?? this.pastOfLane(lane);
    for (const other of waits) {
      this.clocks[other]?.forEach((last, l) => {
        if (last > clock[l]) clock[l] = last;
      });
    }
    const kept: number[] = [];
    for (const other of [...wanted].sort((a, b) => b - a)) {
      if (clock[order.laneOf(other)] >= order.indexOf(other)) continue;
      kept.push(other);
      order.addPast(other, clock);
    }
    this.entries += order.lanes;
    const stored = this.entries > mostClockEntries ? before : clock;
    this.clocks.push(stored);
    this.latest[lane] = stored;
    return kept.reverse();
  }

  /** What is complete when a lane is: a lane begins a bulk when it has ended the one before. */
  private pastOfLane(lane: number): Int32Array {
    const clock = new Int32Array(this.order.lanes).fill(-1);
    this.order.addPast(this.order.lastOf(lane), clock);
    clock[lane] = wholeLane;
    return clock;
  }
}

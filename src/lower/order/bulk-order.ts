/**
 * What is complete of an earlier bulk when an operation of some bulk runs. Of the bulk before: all of every lane that it has
 * waited for in its own bulk, and whatever the last operation of its lane had waited for in that bulk; of bulks before that one
 * likewise, bulk by bulk. Keeps waits between bulks to those that are not implied.
 */
import { never } from '../../ir/none.ts';
import { type LocalOrder, maxClockEntries } from './local-order.ts';

export class BulkOrder {
  private readonly order: LocalOrder;
  /** What is complete of the bulk this many bulks before, when a lane is, counted from that lane's bulk. */
  private readonly nearer: BulkOrder | undefined;
  /** Per operation and lane: the last operation of the earlier bulk that is complete when it runs. */
  private readonly clocks: (Int32Array | undefined)[] = [];
  private readonly latest: (Int32Array | undefined)[] = [];
  private entries = 0;

  /** @param nearer the order between bulks that are one bulk less apart, which has taken all operations; none for neighbours */
  constructor(order: LocalOrder, nearer: BulkOrder | undefined) {
    this.order = order;
    this.nearer = nearer;
  }

  /**
   * Takes the operations of a program in order.
   * @param waits what the operation waits for in its own bulk
   * @param wanted what it must come after in the earlier bulk
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
    const stored = this.entries > maxClockEntries ? before : clock;
    this.clocks.push(stored);
    this.latest[lane] = stored;
    return kept.reverse();
  }

  /** What is complete when a lane is: a lane begins a bulk when it has ended the one before. */
  private pastOfLane(lane: number): Int32Array {
    const past = this.nearer?.latest[lane]?.slice() ?? new Int32Array(this.order.lanes).fill(-1);
    if (this.nearer === undefined) this.order.addPast(this.order.lastOf(lane), past);
    past[lane] = never;
    return past;
  }
}

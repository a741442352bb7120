/**
 * Tracks which operations of an earlier bulk are known to be complete when an operation of a later bulk runs, in order to leave out waits between
 * bulks that are implied. Of the bulk before, these are all operations of every lane for which the operation has waited in its own bulk, and
 * everything for which the last operation of its lane had waited in that bulk. The same holds, bulk by bulk, for bulks before that one.
 */
import { never } from '../../ir/none.ts';
import { type LocalOrder, maxClockEntries } from './local-order.ts';

export class BulkOrder {
  private readonly order: LocalOrder;
  /** The order between bulks that are one bulk less apart; undefined for neighbours. */
  private readonly nearer: BulkOrder | undefined;
  /** By operation, a vector clock: for each lane, the index of the last operation of the earlier bulk that is complete when the operation runs. */
  private readonly clocks: (Int32Array | undefined)[] = [];
  private readonly latest: (Int32Array | undefined)[] = [];
  private entries = 0;

  /** @param nearer the order between bulks that are one bulk less apart, to which all operations have been added; undefined for neighbours */
  constructor(order: LocalOrder, nearer: BulkOrder | undefined) {
    this.order = order;
    this.nearer = nearer;
  }

  /**
   * Adds the next operation of a program, in order.
   * @param waits the operations of its own bulk for which it waits
   * @param wanted the operations of the earlier bulk after which it must run
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

  /** The clock of the first operation of a lane: a lane begins a bulk only when it has finished the bulk before. */
  private pastOfLane(lane: number): Int32Array {
    const past = this.nearer?.latest[lane]?.slice() ?? new Int32Array(this.order.lanes).fill(-1);
    if (this.nearer === undefined) this.order.addPast(this.order.lastOf(lane), past);
    past[lane] = never;
    return past;
  }
}

/** The operations of a plan as a table of columns, and the builder that collects them row by row. */

import { byGroup, IntRows } from './column.ts';
import type { SourceRange } from './diagnostic.ts';
import { intAt } from './indexing.ts';

/** Operations in columns; a row is one operation. */
export interface OperationTable {
  readonly kind: Int32Array;
  /** −1 for local operations. */
  readonly peer: Int32Array;
  readonly channel: Int32Array;
  /** Buffer code, first chunk and count of the source; buffer −1 for receives. */
  readonly srcBuffer: Int32Array;
  readonly srcOffset: Int32Array;
  readonly srcCount: Int32Array;
  /** Likewise for the destination; buffer −1 for sends. */
  readonly dstBuffer: Int32Array;
  readonly dstOffset: Int32Array;
  readonly dstCount: Int32Array;
  /** 1 when the incoming operand of a reduction comes first (src ⊕ dst). */
  readonly receivedFirst: Int32Array;
  readonly step: Int32Array;
  /** Index into the plan's `origins`, −1 for none. */
  readonly origin: Int32Array;
  readonly firstAfter: Int32Array;
  readonly afterOp: Int32Array;
  readonly afterBulks: Int32Array;
  /**
   * For a receive that takes its message only when a later send of its lane has room: that send; −1 otherwise. Runtimes with fused receive-and-send
   * operations behave so. The JSON format of plans cannot express it.
   */
  readonly relay: Int32Array;
  /**
   * For copies that represent computation, its nanoseconds for all bulks together; −1 for other operations. Left out if the plan does not compute.
   */
  readonly nanoseconds?: Int32Array | undefined;
}

/** One operation, encoded as in `OperationTable`, for hot loops. */
export interface OperationRow {
  readonly kind: number;
  readonly peer: number;
  readonly channel: number;
  readonly srcBuffer: number;
  readonly srcOffset: number;
  readonly srcCount: number;
  readonly dstBuffer: number;
  readonly dstOffset: number;
  readonly dstCount: number;
  readonly receivedFirst: number;
  readonly step: number;
  readonly origin: SourceRange | undefined;
  readonly nanoseconds?: number | undefined;
}

/** Cells per row: the lane, and one for each column of the table. */
const rowWidth = 13;

/** Collects operations in any order of lanes and sorts them by lane at the end. */
export class OperationRows {
  /** Rows in blocks, each as large as all blocks before it together, so that growing never copies rows. */
  private readonly blocks: Int32Array[] = [];
  private block = new Int32Array(0);
  /** Index of the next row in the last block. */
  private at = 0;
  private count = 0;
  /** Waits: the operation that waits, the one that it waits for, and how many bulks earlier that one is. */
  private readonly waits = new IntRows(3);
  /** Pairs of a receive and the send that must have room before the receive takes its message. */
  private readonly relays = new IntRows(2);
  private readonly computing = new Map<number, number>();

  get length(): number {
    return this.count;
  }

  /** Adds an operation and returns its number. */
  add(lane: number, row: OperationRow, origin: number): number {
    if (this.at === this.block.length) this.openBlock();
    const { block: cells, at } = this;
    this.at += rowWidth;
    cells[at] = lane;
    cells[at + 1] = row.kind;
    cells[at + 2] = row.peer;
    cells[at + 3] = row.channel;
    cells[at + 4] = row.srcBuffer;
    cells[at + 5] = row.srcOffset;
    cells[at + 6] = row.srcCount;
    cells[at + 7] = row.dstBuffer;
    cells[at + 8] = row.dstOffset;
    cells[at + 9] = row.dstCount;
    cells[at + 10] = row.receivedFirst;
    cells[at + 11] = row.step;
    cells[at + 12] = origin;
    if (row.nanoseconds !== undefined) this.computing.set(this.count, row.nanoseconds);
    return this.count++;
  }

  wait(operation: number, dependency: number, bulks: number): void {
    const at = this.waits.add();
    const { cells } = this.waits;
    cells[at] = operation;
    cells[at + 1] = dependency;
    cells[at + 2] = bulks;
  }

  relay(receive: number, send: number): void {
    const at = this.relays.add();
    const { cells } = this.relays;
    cells[at] = receive;
    cells[at + 1] = send;
  }

  /** Builds the table, sorted by lane. @param nextInLane the row of the first operation of each lane; overwritten */
  table(nextInLane: Int32Array): OperationTable {
    const place = this.places(nextInLane);
    const columns = { ...this.orderedColumns(place), ...this.orderedWaits(place), relay: this.orderedRelays(place) };
    return this.computing.size === 0 ? columns : { ...columns, nanoseconds: this.orderedTimes(place) };
  }

  private orderedTimes(place: Int32Array): Int32Array {
    const nanoseconds = new Int32Array(place.length).fill(-1);
    for (const [operation, time] of this.computing) nanoseconds[intAt(place, operation)] = time;
    return nanoseconds;
  }

  private openBlock(): void {
    this.block = new Int32Array(rowWidth * (1 + this.count));
    this.at = 0;
    this.blocks.push(this.block);
  }

  private places(nextInLane: Int32Array): Int32Array {
    const place = new Int32Array(this.count);
    let o = 0;
    for (const cells of this.blocks) {
      const end = Math.min(this.count, o + cells.length / rowWidth);
      for (let from = 0; o < end; o++, from += rowWidth) {
        const lane = intAt(cells, from);
        const next = intAt(nextInLane, lane);
        place[o] = next;
        nextInLane[lane] = next + 1;
      }
    }
    return place;
  }

  private orderedColumns(
    place: Int32Array,
  ): Omit<OperationTable, 'firstAfter' | 'afterOp' | 'afterBulks' | 'relay' | 'nanoseconds'> {
    const column = (): Int32Array => new Int32Array(place.length);
    const [kind, peer, channel] = [column(), column(), column()];
    const [srcBuffer, srcOffset, srcCount] = [column(), column(), column()];
    const [dstBuffer, dstOffset, dstCount] = [column(), column(), column()];
    const [receivedFirst, step, origin] = [column(), column(), column()];
    let o = 0;
    for (const cells of this.blocks) {
      const end = Math.min(this.count, o + cells.length / rowWidth);
      for (let from = 0; o < end; o++, from += rowWidth) {
        const to = intAt(place, o);
        kind[to] = intAt(cells, from + 1);
        peer[to] = intAt(cells, from + 2);
        channel[to] = intAt(cells, from + 3);
        srcBuffer[to] = intAt(cells, from + 4);
        srcOffset[to] = intAt(cells, from + 5);
        srcCount[to] = intAt(cells, from + 6);
        dstBuffer[to] = intAt(cells, from + 7);
        dstOffset[to] = intAt(cells, from + 8);
        dstCount[to] = intAt(cells, from + 9);
        receivedFirst[to] = intAt(cells, from + 10);
        step[to] = intAt(cells, from + 11);
        origin[to] = intAt(cells, from + 12);
      }
    }
    return {
      ...{ kind, peer, channel, srcBuffer, srcOffset, srcCount },
      ...{ dstBuffer, dstOffset, dstCount, receivedFirst, step, origin },
    };
  }

  private orderedWaits(place: Int32Array): Pick<OperationTable, 'firstAfter' | 'afterOp' | 'afterBulks'> {
    const [waiting, awaited, bulks] = [this.waits.column(0), this.waits.column(1), this.waits.column(2)];
    moveTo(waiting, place);
    moveTo(awaited, place);
    const { first: firstAfter, rows } = byGroup(waiting, place.length);
    return {
      firstAfter,
      afterOp: rows.map((row) => intAt(awaited, row)),
      afterBulks: rows.map((row) => intAt(bulks, row)),
    };
  }

  private orderedRelays(place: Int32Array): Int32Array {
    const { cells, length } = this.relays;
    const relay = new Int32Array(place.length).fill(-1);
    for (let at = 0; at < 2 * length; at += 2)
      relay[intAt(place, intAt(cells, at))] = intAt(place, intAt(cells, at + 1));
    return relay;
  }
}

/** Replaces operation numbers by their rows in the table. */
function moveTo(operations: Int32Array, place: Int32Array): void {
  for (let row = 0; row < operations.length; row++) operations[row] = intAt(place, intAt(operations, row));
}

/**
 * Rank 0's program of a compact plan under construction: operations are added to lanes in any order, then sorted by
 * lane.
 */
import type { Collective } from '../../ir/collective.ts';
import type { CompactPlan } from '../../ir/compact.ts';
import { type OperationRow, OperationRows } from '../../ir/operation-table.ts';
import { OperationCode } from '../../ir/plan.ts';
import { bufferCodes } from '../../lower/memory/buffer-codes.ts';

/** The parts of a plan beside its program. */
export interface ProgramFrame {
  readonly name: string;
  readonly collective: Collective;
  readonly shape: readonly number[];
  readonly sharded: boolean;
  readonly bulks: number;
  readonly buffers: CompactPlan['buffers'];
}

/** A position in a buffer, given by the buffer's code and an offset in chunks. */
export interface CodedChunk {
  readonly buffer: number;
  readonly offset: number;
}

const { input, output, scratch } = bufferCodes;
export const inInput = (offset: number): CodedChunk => ({ buffer: input, offset });
export const inOutput = (offset: number): CodedChunk => ({ buffer: output, offset });
export const inScratch = (offset: number): CodedChunk => ({ buffer: scratch, offset });
/** The other end of a message, on another rank. */
const elsewhere: CodedChunk = { buffer: -1, offset: 0 };

export class CompactProgram {
  private readonly laneIds: number[] = [];
  private readonly rows = new OperationRows();
  /** By lane: its number of operations, and the last of them, −1 for none. */
  private readonly count: number[] = [];
  private readonly last: number[] = [];

  /** Opens a lane with that id; lanes with operations appear in the plan in the order in which they were opened. */
  openLane(id: number): number {
    this.count.push(0);
    this.last.push(-1);
    return this.laneIds.push(id) - 1;
  }

  /**
   * Appends a copy of `count` chunks to a lane, and returns its number; the other methods do the same for their kinds.
   */
  copy(lane: number, step: number, from: CodedChunk, to: CodedChunk, count: number): number {
    return this.add(lane, { kind: OperationCode.copy, step, peer: -1 }, from, to, count);
  }

  reduce(lane: number, step: number, from: CodedChunk, to: CodedChunk, count: number): number {
    return this.add(lane, { kind: OperationCode.reduce, step, peer: -1 }, from, to, count);
  }

  send(lane: number, step: number, peer: number, from: CodedChunk, count: number): number {
    return this.add(lane, { kind: OperationCode.send, step, peer }, from, elsewhere, count);
  }

  receive(lane: number, step: number, peer: number, to: CodedChunk, count: number): number {
    return this.add(lane, { kind: OperationCode.recv, step, peer }, elsewhere, to, count);
  }

  /** Makes an operation wait for another one of the same bulk, or of `bulks` bulks before. */
  wait(operation: number, awaited: number, bulks = 0): void {
    this.rows.wait(operation, awaited, bulks);
  }

  /** The last operation of each of these lanes that has one. */
  lastOf(lanes: readonly number[]): readonly number[] {
    return lanes.map((lane) => this.last[lane]).filter((operation) => operation >= 0);
  }

  build(frame: ProgramFrame): CompactPlan {
    const used = this.laneIds.map((_, lane) => lane).filter((lane) => this.count[lane] > 0);
    const firstOp = new Int32Array(used.length + 1);
    const nextInLane = new Int32Array(this.laneIds.length);
    used.forEach((lane, row) => {
      nextInLane[lane] = firstOp[row];
      firstOp[row + 1] = firstOp[row] + this.count[lane];
    });
    return {
      ...frame,
      scratchPerBulk: 1,
      laneId: Int32Array.from(used, (lane) => this.laneIds[lane]),
      firstOp,
      ops: this.rows.table(nextInLane),
      origins: [],
    };
  }

  private add(
    lane: number,
    { kind, step, peer }: Pick<OperationRow, 'kind' | 'step' | 'peer'>,
    from: CodedChunk,
    to: CodedChunk,
    count: number,
  ): number {
    const row: OperationRow = {
      kind,
      peer,
      channel: 0,
      srcBuffer: from.buffer,
      srcOffset: from.offset,
      srcCount: from === elsewhere ? 0 : count,
      dstBuffer: to.buffer,
      dstOffset: to.offset,
      dstCount: to === elsewhere ? 0 : count,
      receivedFirst: 0,
      step,
      origin: undefined,
    };
    this.count[lane]++;
    this.last[lane] = this.rows.add(lane, row, -1);
    return this.last[lane];
  }
}

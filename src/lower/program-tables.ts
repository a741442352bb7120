/** Tables of one program whose lanes have known lengths, filled operation by operation without anything in between. */
import { OperationCode, type OperationTable, type PlanBuffer, planBuffers } from '../ir/plan.ts';

const [input, output, scratch] = planBuffers.map((_, code) => code);

/** Codes of the buffers in the tables. */
export const bufferCodes: Readonly<Record<PlanBuffer, number>> = { input, output, scratch };

export class ProgramTables {
  readonly laneId: Int32Array;
  readonly firstOp: Int32Array;
  /** The next free operation of each lane. */
  private readonly next: Int32Array;
  private readonly waiting: number[] = [];
  private readonly waitedFor: number[] = [];
  private readonly kind: Int32Array;
  private readonly peer: Int32Array;
  private readonly srcBuffer: Int32Array;
  private readonly srcOffset: Int32Array;
  private readonly srcCount: Int32Array;
  private readonly dstBuffer: Int32Array;
  private readonly dstOffset: Int32Array;
  private readonly dstCount: Int32Array;
  private readonly step: Int32Array;

  /** Lanes, in order, with their ids and numbers of operations. */
  constructor(lanes: readonly { readonly id: number; readonly length: number }[]) {
    this.laneId = Int32Array.from(lanes, ({ id }) => id);
    this.firstOp = new Int32Array(lanes.length + 1);
    lanes.forEach(({ length }, lane) => {
      this.firstOp[lane + 1] = this.firstOp[lane] + length;
    });
    this.next = this.firstOp.slice(0, lanes.length);
    const operations = this.firstOp[lanes.length];
    this.kind = new Int32Array(operations);
    this.peer = new Int32Array(operations).fill(-1);
    this.srcBuffer = new Int32Array(operations).fill(-1);
    this.srcOffset = new Int32Array(operations);
    this.srcCount = new Int32Array(operations);
    this.dstBuffer = new Int32Array(operations).fill(-1);
    this.dstOffset = new Int32Array(operations);
    this.dstCount = new Int32Array(operations);
    this.step = new Int32Array(operations);
  }

  /** Adds a copy of so many chunks at the end of a lane, and returns its number; likewise for the others. */
  copy(
    lane: number,
    step: number,
    fromBuffer: number,
    from: number,
    toBuffer: number,
    to: number,
    count: number,
  ): number {
    const operation = this.add(lane, step, OperationCode.copy);
    this.read(operation, fromBuffer, from, count);
    this.write(operation, toBuffer, to, count);
    return operation;
  }

  reduce(
    lane: number,
    step: number,
    fromBuffer: number,
    from: number,
    toBuffer: number,
    to: number,
    count: number,
  ): number {
    const operation = this.add(lane, step, OperationCode.reduce);
    this.read(operation, fromBuffer, from, count);
    this.write(operation, toBuffer, to, count);
    return operation;
  }

  send(lane: number, step: number, peer: number, buffer: number, offset: number, count: number): number {
    const operation = this.add(lane, step, OperationCode.send);
    this.peer[operation] = peer;
    this.read(operation, buffer, offset, count);
    return operation;
  }

  receive(lane: number, step: number, peer: number, buffer: number, offset: number, count: number): number {
    const operation = this.add(lane, step, OperationCode.recv);
    this.peer[operation] = peer;
    this.write(operation, buffer, offset, count);
    return operation;
  }

  /** Makes an operation wait for another one of the same bulk. */
  wait(operation: number, awaited: number): void {
    this.waiting.push(operation);
    this.waitedFor.push(awaited);
  }

  table(): OperationTable {
    const operations = this.kind.length;
    const firstAfter = new Int32Array(operations + 1);
    for (const operation of this.waiting) firstAfter[operation + 1]++;
    for (let o = 0; o < operations; o++) firstAfter[o + 1] += firstAfter[o];
    const next = firstAfter.slice();
    const afterOp = new Int32Array(this.waiting.length);
    this.waiting.forEach((operation, wait) => {
      afterOp[next[operation]++] = this.waitedFor[wait];
    });
    const { kind, peer, srcBuffer, srcOffset, srcCount, dstBuffer, dstOffset, dstCount, step } = this;
    return {
      ...{ kind, peer, srcBuffer, srcOffset, srcCount, dstBuffer, dstOffset, dstCount, step },
      channel: new Int32Array(operations),
      receivedFirst: new Int32Array(operations),
      origin: new Int32Array(operations).fill(-1),
      firstAfter,
      afterOp,
      afterBulks: new Int32Array(afterOp.length),
      relay: new Int32Array(operations).fill(-1),
    };
  }

  private add(lane: number, step: number, kind: number): number {
    const operation = this.next[lane]++;
    this.kind[operation] = kind;
    this.step[operation] = step;
    return operation;
  }

  private read(operation: number, buffer: number, offset: number, count: number): void {
    this.srcBuffer[operation] = buffer;
    this.srcOffset[operation] = offset;
    this.srcCount[operation] = count;
  }

  private write(operation: number, buffer: number, offset: number, count: number): void {
    this.dstBuffer[operation] = buffer;
    this.dstOffset[operation] = offset;
    this.dstCount[operation] = count;
  }
}

/** Abstract interpreter of plans: it executes a plan on integers that represent data; its subclasses define what these mean. */

import type { CellMemory } from './cell-memory.ts';
import { inputChunks } from './collective.ts';
import { intAt } from './indexing.ts';
import { isSend, OperationCode, type Plan } from './plan.ts';
import type { Connections, PlanIndex } from './plan-index.ts';

/** Executes one bulk, in an order that the caller chooses. Memory holds one number per chunk, and −1 where nothing has been written. */
export abstract class DataRun {
  /** By memory cell, the number that it holds. */
  readonly cells: Int32Array;
  protected readonly index: PlanIndex;
  protected readonly memory: CellMemory;
  private readonly partner: Int32Array;
  /** The chunks of all messages; those of a send begin at `messageAt[send]`. */
  private readonly messages: Int32Array;
  private readonly messageAt: Int32Array;

  constructor(index: PlanIndex, memory: CellMemory, connections: Connections) {
    const { buffers, ops } = index.plan;
    this.index = index;
    this.memory = memory;
    this.partner = connections.partner;
    this.cells = new Int32Array(intAt(memory.firstCell, buffers.length)).fill(-1);
    this.messageAt = new Int32Array(ops.kind.length);
    this.messages = new Int32Array(placeMessages(index.plan, this.messageAt));
  }

  /** Executes all operations of an order in which the plan can run. */
  executeAll(order: Int32Array): void {
    for (let at = 0; at < order.length; at++) this.execute(intAt(order, at));
  }

  /** Executes one operation; everything that it waits for must have been executed. */
  execute(operation: number): void {
    const { cells, messages, messageAt } = this;
    const { kind, srcCount, dstCount } = this.index.plan.ops;
    const source = intAt(this.memory.sourceCell, operation);
    const target = intAt(this.memory.targetCell, operation);
    switch (intAt(kind, operation)) {
      case OperationCode.copy:
        // Source and destination of a local operation do not overlap, so that the order of its chunks does not matter.
        for (let i = 0; i < intAt(srcCount, operation); i++) this.store(target + i, intAt(cells, source + i));
        break;
      case OperationCode.reduce:
        this.reduce(operation, cells, source);
        break;
      case OperationCode.send:
        for (let i = 0; i < intAt(srcCount, operation); i++)
          messages[intAt(messageAt, operation) + i] = intAt(cells, source + i);
        break;
      case OperationCode.recv: {
        const at = intAt(messageAt, intAt(this.partner, operation));
        for (let i = 0; i < intAt(dstCount, operation); i++) this.store(target + i, intAt(messages, at + i));
        break;
      }
      case OperationCode.recvReduce:
        this.reduce(operation, messages, intAt(messageAt, intAt(this.partner, operation)));
        break;
    }
  }

  /** What an executed operation has sent or written, chunk by chunk: a view that later operations may overwrite. */
  moved(operation: number): Int32Array {
    const { srcCount, dstCount } = this.index.plan.ops;
    if (isSend(this.index.plan, operation)) {
      const first = intAt(this.messageAt, operation);
      return this.messages.subarray(first, first + intAt(srcCount, operation));
    }
    const first = intAt(this.memory.targetCell, operation);
    return this.cells.subarray(first, first + intAt(dstCount, operation));
  }

  /** The number that a reduction leaves in a cell, given the numbers of both operands; −1 is memory that nothing has written. */
  protected abstract combine(held: number, arriving: number, receivedFirst: boolean): number;

  /** Fills the inputs of all ranks. */
  protected fillInputs(numberAt: (rank: number, chunk: number) => number): void {
    const { collective, buffers } = this.index.plan;
    for (let rank = 0; rank < buffers.length; rank++) {
      const chunks = inputChunks(collective, rank);
      for (let chunk = 0; chunk < chunks; chunk++) {
        this.cells[intAt(this.memory.input, rank) + chunk] = numberAt(rank, chunk);
      }
    }
  }

  protected store(cell: number, value: number): void {
    this.cells[cell] = value;
  }

  private reduce(operation: number, incoming: Int32Array, first: number): void {
    const { cells } = this;
    const { ops } = this.index.plan;
    const target = intAt(this.memory.targetCell, operation);
    const receivedFirst = ops.receivedFirst[operation] === 1;
    for (let i = 0; i < intAt(ops.dstCount, operation); i++) {
      this.store(target + i, this.combine(intAt(cells, target + i), intAt(incoming, first + i), receivedFirst));
    }
  }
}

/** Assigns to each send the place of its message in one array, one message behind the other. Returns the number of chunks of all messages. */
function placeMessages(plan: Plan, messageAt: Int32Array): number {
  let total = 0;
  for (let o = 0; o < messageAt.length; o++) {
    messageAt[o] = total;
    if (isSend(plan, o)) total += intAt(plan.ops.srcCount, o);
  }
  return total;
}

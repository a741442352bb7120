/** Runs a plan on symbolic values: every cell holds the number of a value, −1 for nothing. */
import { combinesInRankOrder, inputChunks } from '../ir/collective.ts';
import { isSend, OperationCode, type Plan } from '../ir/plan.ts';
import type { Connections, PlanIndex } from '../ir/plan-index.ts';
import type { CellMemory } from './cell-memory.ts';
import { Room } from './room.ts';
import { CombinationTable } from './values.ts';

export class SymbolicRun {
  readonly values: CombinationTable;
  /** What each cell of memory holds. */
  readonly cells: Int32Array;
  private readonly index: PlanIndex;
  private readonly memory: CellMemory;
  private readonly connections: Connections;
  /** Absent where all chunks are of one size. */
  private readonly room: Room | undefined;
  /** The messages that were sent, one after the other; send s has its place at `messageAt[s]`. */
  private readonly messages: Int32Array;
  private readonly messageAt: Int32Array;

  constructor(index: PlanIndex, memory: CellMemory, connections: Connections) {
    const { collective, buffers, ops } = index.plan;
    this.index = index;
    this.memory = memory;
    this.connections = connections;
    this.values = new CombinationTable(collective, combinesInRankOrder(collective));
    this.cells = new Int32Array(memory.firstCell[buffers.length]).fill(-1);
    for (let rank = 0; rank < buffers.length; rank++) {
      const chunks = inputChunks(collective, rank);
      for (let chunk = 0; chunk < chunks; chunk++) {
        this.cells[memory.input[rank] + chunk] = this.values.leaf(rank, chunk);
      }
    }
    const { counts } = collective;
    this.room = counts && new Room(collective, counts, memory, this.values);
    this.messageAt = new Int32Array(ops.kind.length);
    this.messages = new Int32Array(placeMessages(index.plan, this.messageAt));
  }

  /** Runs operations in an order in which they can run. */
  along(order: Int32Array): void {
    for (let at = 0; at < order.length; at++) this.step(order[at]);
  }

  /** Runs one operation; everything before it must have run. */
  step(operation: number): void {
    const { cells, messages, messageAt } = this;
    const { kind, srcCount, dstCount } = this.index.plan.ops;
    const source = this.memory.sourceCell[operation];
    const target = this.memory.targetCell[operation];
    switch (kind[operation]) {
      case OperationCode.copy:
        // They do not overlap, so that any order will do.
        for (let i = 0; i < srcCount[operation]; i++) this.put(target + i, cells[source + i]);
        break;
      case OperationCode.reduce:
        this.reduce(operation, cells, source);
        break;
      case OperationCode.send:
        for (let i = 0; i < srcCount[operation]; i++) messages[messageAt[operation] + i] = cells[source + i];
        break;
      case OperationCode.recv: {
        const at = messageAt[this.connections.partner[operation]];
        for (let i = 0; i < dstCount[operation]; i++) this.put(target + i, messages[at + i]);
        break;
      }
      case OperationCode.recvReduce:
        this.reduce(operation, messages, messageAt[this.connections.partner[operation]]);
        break;
    }
  }

  private put(cell: number, value: number): void {
    this.cells[cell] = this.room === undefined ? value : this.room.kept(cell, value);
  }

  /** A reduction with memory that nothing has written makes something that nobody asked for. */
  private operand(value: number): number {
    return value === -1 ? this.values.unknown : value;
  }

  private reduce(operation: number, incoming: Int32Array, first: number): void {
    const { cells, values } = this;
    const { ops } = this.index.plan;
    const target = this.memory.targetCell[operation];
    const receivedFirst = ops.receivedFirst[operation] === 1;
    for (let i = 0; i < ops.dstCount[operation]; i++) {
      const held = this.operand(cells[target + i]);
      const arriving = this.operand(incoming[first + i]);
      this.put(target + i, receivedFirst ? values.combine(arriving, held) : values.combine(held, arriving));
    }
  }
}

/** Gives the message of each send its place behind those before it. Returns how much they hold together. */
function placeMessages(plan: Plan, messageAt: Int32Array): number {
  let total = 0;
  for (let o = 0; o < messageAt.length; o++) {
    messageAt[o] = total;
    if (isSend(plan, o)) total += plan.ops.srcCount[o];
  }
  return total;
}

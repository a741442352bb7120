/**
 * The latest writes and reads of each memory cell of one rank, from which waits follow. Operations are added in an order in which all reads of a step
 * precede its writes. Writes of the same step are ordered among each other only if both are reductions: any other pair is a race in the schedule and
 * remains one in the plan, where the verifier reports it.
 */
import { IntRows } from '../../ir/column.ts';
import type { LocalOrder } from './local-order.ts';

/** Linked lists of operations in one shared array: a node holds an operation and the index of the next node. −1 is the empty list. */
class OperationLists {
  private readonly nodes = new IntRows(2);

  clear(): void {
    this.nodes.clear();
  }

  prepend(operation: number, list: number): number {
    const at = this.nodes.add();
    this.nodes.cells[at] = operation;
    this.nodes.cells[at + 1] = list;
    return at;
  }

  first(list: number): number {
    return this.nodes.cells[list];
  }

  /** Replaces the operation of a node. */
  replace(node: number, operation: number): void {
    this.nodes.cells[node] = operation;
  }

  rest(list: number): number {
    return this.nodes.cells[list + 1];
  }

  *items(list: number): Iterable<number> {
    for (let node = list; node >= 0; node = this.rest(node)) yield this.first(node);
  }
}

/** Columns of the row of a cell; −1 stands for nothing, and for the empty list. */
const Field = {
  /** The step of the latest writes. */
  step: 0,
  /** The latest writes, all of one step. Of chained reductions only the last is listed. */
  writes: 1,
  /** Reads since these writes. */
  reads: 2,
  /** The lists of writes and reads as they were when the step of the latest writes began. */
  writesBefore: 3,
  readsBefore: 4,
  /** Reads and writes that come before all other writes of the cell in the bulk. */
  firstReads: 5,
  firstWrites: 6,
} as const;
const rowLength = Object.keys(Field).length;

export class Accesses {
  private readonly order: LocalOrder;
  private readonly lists = new OperationLists();
  /** One row of fields per cell. */
  private rows = new Int32Array(0);
  /** Number of cells up to the last one that an operation has accessed. */
  private cells = 0;
  /** The operations that are reductions. */
  private readonly reductions = new Set<number>();

  constructor(order: LocalOrder) {
    this.order = order;
  }

  /** Resets the accesses for another rank. */
  start(): void {
    this.rows.fill(-1, 0, this.cells * rowLength);
    this.cells = 0;
    this.lists.clear();
    this.reductions.clear();
  }

  /** Requests the waits that the next operation needs in order to read these cells. */
  askRead(first: number, count: number): void {
    this.reach(first + count);
    for (let c = first; c < first + count; c++) this.askAll(this.rows[c * rowLength + Field.writes]);
  }

  /** Requests the waits that the next operation needs in order to write these cells in a step. */
  askWrite(first: number, count: number, step: number, reduces: boolean): void {
    this.reach(first + count);
    const { rows } = this;
    for (let c = first; c < first + count; c++) {
      const row = c * rowLength;
      if (rows[row + Field.step] !== step) {
        this.askAll(rows[row + Field.writes]);
        this.askAll(rows[row + Field.reads]);
        continue;
      }
      const chained = reduces ? this.reductionIn(rows[row + Field.writes]) : -1;
      if (chained >= 0) {
        this.order.ask(this.lists.first(chained));
      } else {
        this.askAll(rows[row + Field.writesBefore]);
        this.askAll(rows[row + Field.readsBefore]);
      }
    }
  }

  /** Records that an operation reads cells. */
  noteRead(operation: number, first: number, count: number): void {
    const { rows, lists, order } = this;
    const lane = order.laneOf(operation);
    for (let c = first; c < first + count; c++) {
      const row = c * rowLength;
      if (rows[row + Field.writes] < 0) {
        rows[row + Field.firstReads] = lists.prepend(operation, rows[row + Field.firstReads]);
      }
      const reads = rows[row + Field.reads];
      if (reads >= 0 && order.laneOf(lists.first(reads)) === lane) lists.replace(reads, operation);
      else rows[row + Field.reads] = lists.prepend(operation, reads);
    }
  }

  /** Records that an operation writes cells in a step. */
  noteWrite(operation: number, first: number, count: number, step: number, reduces: boolean): void {
    if (reduces) this.reductions.add(operation);
    const { rows, lists } = this;
    for (let c = first; c < first + count; c++) {
      const row = c * rowLength;
      const chained = rows[row + Field.step] === step && reduces ? this.reductionIn(rows[row + Field.writes]) : -1;
      if (chained >= 0) {
        lists.replace(chained, operation);
        continue;
      }
      if (rows[row + Field.step] !== step) {
        rows[row + Field.step] = step;
        rows[row + Field.writesBefore] = rows[row + Field.writes];
        rows[row + Field.readsBefore] = rows[row + Field.reads];
        rows[row + Field.writes] = -1;
        rows[row + Field.reads] = -1;
      }
      if (rows[row + Field.writesBefore] < 0) {
        rows[row + Field.firstWrites] = lists.prepend(operation, rows[row + Field.firstWrites]);
      }
      rows[row + Field.writes] = lists.prepend(operation, rows[row + Field.writes]);
    }
  }

  /**
   * Pairs, for each cell, of a first access in a bulk and a last access that must be complete from the bulk that used the same copy of scratch
   * before.
   */
  *reusePairs(firstCell: number): Iterable<readonly [first: number, last: number]> {
    const { rows, lists } = this;
    for (let row = firstCell * rowLength; row < this.cells * rowLength; row += rowLength) {
      for (const first of lists.items(rows[row + Field.firstReads])) {
        for (const last of lists.items(rows[row + Field.writes])) yield [first, last];
      }
      for (const first of lists.items(rows[row + Field.firstWrites])) {
        for (const last of lists.items(rows[row + Field.writes])) yield [first, last];
        for (const last of lists.items(rows[row + Field.reads])) yield [first, last];
      }
    }
  }

  /** Grows the table to hold cells up to `end` − 1. */
  private reach(end: number): void {
    if (end <= this.cells) return;
    this.cells = end;
    if (end * rowLength <= this.rows.length) return;
    const larger = new Int32Array(2 * end * rowLength).fill(-1);
    larger.set(this.rows);
    this.rows = larger;
  }

  private askAll(list: number): void {
    for (let node = list; node >= 0; node = this.lists.rest(node)) this.order.ask(this.lists.first(node));
  }

  /**
   * The node of the reduction among the writes of a step, −1 if there is none. There is at most one, because a later reduction replaces the one
   * before.
   */
  private reductionIn(list: number): number {
    for (let node = list; node >= 0; node = this.lists.rest(node)) {
      if (this.reductions.has(this.lists.first(node))) return node;
    }
    return -1;
  }
}

/**
 * Who wrote and read each memory cell of one rank last. Operations come in an order in which all reads of a step stand
 * before its writes. Writes of one step are ordered among each other only if both are reductions: any other pair is a race
 * of the schedule, and stays one in the plan.
 */
import { IntRows } from '../../ir/column.ts';
import type { LocalOrder } from './local-order.ts';

/** Operations in lists that share one store of nodes: an operation, and the node of the next. −1 is the empty list. */
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

  /** Puts another operation in the place of a node's. */
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

/** What happened to one cell so far, as places in its row; −1 for nothing, and for the empty list. */
const Field = {
  /** The step of the latest writes. */
  step: 0,
  /** The latest writes: of one step, and only the last of those that are chained. */
  writes: 1,
  /** Reads since. */
  reads: 2,
  /** The same two lists as they stood when the step of the latest writes began. */
  writesBefore: 3,
  readsBefore: 4,
  /** Reads and writes that no write of the bulk precedes. */
  firstReads: 5,
  firstWrites: 6,
} as const;
const rowLength = Object.keys(Field).length;

export class Accesses {
  private readonly order: LocalOrder;
  private readonly lists = new OperationLists();
  /** One row of fields per cell. */
  private rows = new Int32Array(0);
  /** Cells up to the last that something touched. */
  private cells = 0;
  /** Operations that reduce. */
  private readonly reductions = new Set<number>();

  constructor(order: LocalOrder) {
    this.order = order;
  }

  /** Begins anew with another rank. */
  start(): void {
    this.rows.fill(-1, 0, this.cells * rowLength);
    this.cells = 0;
    this.lists.clear();
    this.reductions.clear();
  }

  /** Asks that the next operation waits for what it must follow when it reads cells. */
  askRead(first: number, count: number): void {
    this.reach(first + count);
    for (let c = first; c < first + count; c++) this.askAll(this.rows[c * rowLength + Field.writes]);
  }

  /** Asks that the next operation waits for what it must follow when it writes cells in a step. */
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

  /** Notes that an operation reads cells. */
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

  /** Notes that an operation writes cells in a step. */
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

  /** Every pair of a cell's first access in a bulk and a last access that must have been made to it in the bulk before. */
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

  /** Makes room for cells up to `end`. */
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

  /** The node of the reduction among a step's writes; there is at most one, because later ones take its place. */
  private reductionIn(list: number): number {
    for (let node = list; node >= 0; node = this.lists.rest(node)) {
      if (this.reductions.has(this.lists.first(node))) return node;
    }
    return -1;
  }
}

/**
 * Who wrote and read each memory cell of one rank last. Operations come in an order in which all reads of a step stand
 * before its writes. Writes of one step are ordered among each other only if both are reductions: any other pair is a race
 * of the schedule, and stays one in the plan.
 */
import type { LocalOrder } from './local-order.ts';

/** Operations in lists that share one store: a list is the number of its first node, −1 for the empty list. */
class OperationLists {
  private readonly operation: number[] = [];
  private readonly next: number[] = [];

  prepend(operation: number, list: number): number {
    this.operation.push(operation);
    this.next.push(list);
    return this.operation.length - 1;
  }

  first(list: number): number {
    return this.operation[list];
  }

  /** Puts another operation in the place of a node's. */
  replace(node: number, operation: number): void {
    this.operation[node] = operation;
  }

  rest(list: number): number {
    return this.next[list];
  }

  *items(list: number): Iterable<number> {
    for (let node = list; node >= 0; node = this.next[node]) yield this.operation[node];
  }
}

/** What happened to one cell so far. */
interface Cell {
  /** The step of the latest writes. */
  step: number;
  /** The latest writes: of one step, and only the last of those that are chained. */
  writes: number;
  /** Reads since. */
  reads: number;
  /** The same two lists as they stood when the step of the latest writes began. */
  writesBefore: number;
  readsBefore: number;
  /** Reads and writes that no write of the bulk precedes. */
  firstReads: number;
  firstWrites: number;
}

export class Accesses {
  private readonly order: LocalOrder;
  private readonly lists = new OperationLists();
  private readonly cells: Cell[] = [];
  /** Operations that reduce. */
  private readonly reductions = new Set<number>();

  constructor(order: LocalOrder) {
    this.order = order;
  }

  /** Asks that the next operation waits for what it must follow when it reads cells. */
  askRead(first: number, count: number): void {
    for (let c = first; c < first + count; c++) this.askAll(this.cell(c).writes);
  }

  /** Asks that the next operation waits for what it must follow when it writes cells in a step. */
  askWrite(first: number, count: number, step: number, reduces: boolean): void {
    for (let c = first; c < first + count; c++) {
      const cell = this.cell(c);
      if (cell.step !== step) {
        this.askAll(cell.writes);
        this.askAll(cell.reads);
        continue;
      }
      const chained = reduces ? this.reductionIn(cell.writes) : -1;
      if (chained >= 0) {
        this.order.ask(this.lists.first(chained));
      } else {
        this.askAll(cell.writesBefore);
        this.askAll(cell.readsBefore);
      }
    }
  }

  /** Notes that an operation reads cells. */
  noteRead(operation: number, first: number, count: number): void {
    for (let c = first; c < first + count; c++) {
      const cell = this.cell(c);
      if (cell.writes < 0) cell.firstReads = this.lists.prepend(operation, cell.firstReads);
      const sameLane =
        cell.reads >= 0 && this.order.laneOf(this.lists.first(cell.reads)) === this.order.laneOf(operation);
      if (sameLane) this.lists.replace(cell.reads, operation);
      else cell.reads = this.lists.prepend(operation, cell.reads);
    }
  }

  /** Notes that an operation writes cells in a step. */
  noteWrite(operation: number, first: number, count: number, step: number, reduces: boolean): void {
    if (reduces) this.reductions.add(operation);
    for (let c = first; c < first + count; c++) {
      const cell = this.cell(c);
      const chained = cell.step === step && reduces ? this.reductionIn(cell.writes) : -1;
      if (chained >= 0) {
        this.lists.replace(chained, operation);
        continue;
      }
      if (cell.step !== step) {
        cell.step = step;
        cell.writesBefore = cell.writes;
        cell.readsBefore = cell.reads;
        cell.writes = -1;
        cell.reads = -1;
      }
      if (cell.writesBefore < 0) cell.firstWrites = this.lists.prepend(operation, cell.firstWrites);
      cell.writes = this.lists.prepend(operation, cell.writes);
    }
  }

  /** Every pair of a cell's first access in a bulk and a last access that must have been made to it in the bulk before. */
  *reusePairs(firstCell: number): Iterable<readonly [first: number, last: number]> {
    for (let c = firstCell; c < this.cells.length; c++) {
      const cell = this.cell(c);
      for (const first of this.lists.items(cell.firstReads)) {
        for (const last of this.lists.items(cell.writes)) yield [first, last];
      }
      for (const first of this.lists.items(cell.firstWrites)) {
        for (const last of this.lists.items(cell.writes)) yield [first, last];
        for (const last of this.lists.items(cell.reads)) yield [first, last];
      }
    }
  }

  private cell(index: number): Cell {
    while (this.cells.length <= index) {
      this.cells.push({
        step: -1,
        writes: -1,
        reads: -1,
        writesBefore: -1,
        readsBefore: -1,
        firstReads: -1,
        firstWrites: -1,
      });
    }
    return this.cells[index];
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

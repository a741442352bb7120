import type { SourceRange } from './diagnostic.ts';
import { intAt } from './indexing.ts';

/** A growable column of 32-bit integers: the building block of the tables that hold schedules and plans. */
export class IntColumn {
  private cells: Int32Array;
  private used = 0;

  constructor(capacity = 64) {
    this.cells = new Int32Array(capacity);
  }

  get length(): number {
    return this.used;
  }

  push(value: number): void {
    if (this.used === this.cells.length) {
      const larger = new Int32Array(this.used * 2);
      larger.set(this.cells);
      this.cells = larger;
    }
    this.cells[this.used++] = value;
  }

  at(index: number): number {
    return intAt(this.cells, index);
  }

  /** The filled part, without a copy: later pushes may or may not show in it. */
  view(): Int32Array {
    return this.cells.subarray(0, this.used);
  }
}

/** A growable table of rows of 32-bit integers: `cells` holds row after row, each of `width` cells. */
export class IntRows {
  readonly width: number;
  cells: Int32Array;
  private used = 0;

  constructor(width: number) {
    this.width = width;
    this.cells = new Int32Array(64 * width);
  }

  /** Rows that have been added. */
  get length(): number {
    return this.used / this.width;
  }

  /**
   * Adds a row and returns its first index in `cells`. The row has arbitrary content until the caller fills it, and `cells` may have been replaced by
   * a larger array.
   */
  add(): number {
    const start = this.used;
    this.used += this.width;
    if (this.used > this.cells.length) {
      const larger = new Int32Array(2 * this.used);
      larger.set(this.cells);
      this.cells = larger;
    }
    return start;
  }

  /** A copy of one column of the table. @param cell the column, from 0 to `width` − 1 */
  column(cell: number): Int32Array {
    const { cells, width, length } = this;
    const column = new Int32Array(length);
    for (let row = 0, at = cell; row < length; row++, at += width) column[row] = intAt(cells, at);
    return column;
  }

  /** Removes all rows but keeps the memory for later ones. */
  clear(): void {
    this.used = 0;
  }
}

/** Assigns an index to each distinct source range that rows of a table refer to. */
export class OriginTable {
  readonly ranges: SourceRange[] = [];
  private readonly indices = new Map<SourceRange, number>();

  /** The index of a source range, −1 for undefined. */
  indexOf(range: SourceRange | undefined): number {
    if (range === undefined) return -1;
    let index = this.indices.get(range);
    if (index === undefined) {
      index = this.ranges.length;
      this.ranges.push(range);
      this.indices.set(range, index);
    }
    return index;
  }
}

/** Rows by group: those of group g are `rows[first[g] … first[g + 1] − 1]`, ascending. */
export interface RowsByGroup {
  readonly first: Int32Array;
  readonly rows: Int32Array;
}

/** Groups rows by a counting sort. @param groupOf the group of each row, −1 for rows that belong to none */
export function byGroup(groupOf: Int32Array, groups: number): RowsByGroup {
  const first = groupStarts(groupOf, groups);
  const rows = new Int32Array(intAt(first, groups));
  placeRows(groupOf, first.slice(), rows);
  return { first, rows };
}

/** The position at which each group begins if rows are sorted by group, and the total number of rows as a last entry. */
export function groupStarts(groupOf: Int32Array, groups: number): Int32Array {
  const first = new Int32Array(groups + 1);
  countRows(groupOf, first);
  addUp(first);
  return first;
}

// The loops below stand in functions of their own: while a long loop runs, V8 compiles its function, and does so again for each later line of that
// function that has not run before.

function placeRows(groupOf: Int32Array, next: Int32Array, rows: Int32Array): void {
  for (let row = 0; row < groupOf.length; row++) {
    const group = intAt(groupOf, row);
    if (group < 0) continue;
    const place = intAt(next, group);
    rows[place] = row;
    next[group] = place + 1;
  }
}

function countRows(groupOf: Int32Array, counts: Int32Array): void {
  for (let row = 0; row < groupOf.length; row++) {
    const group = intAt(groupOf, row);
    if (group >= 0) counts[group + 1] = intAt(counts, group + 1) + 1;
  }
}

function addUp(counts: Int32Array): void {
  for (let at = 1; at < counts.length; at++) counts[at] = intAt(counts, at) + intAt(counts, at - 1);
}

/** Whether a column holds one value throughout. */
export function isConstant(column: Int32Array, value: number): boolean {
  for (let row = 0; row < column.length; row++) if (column[row] !== value) return false;
  return true;
}

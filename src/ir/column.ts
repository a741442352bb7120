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

/** A growable table of rows of 32-bit integers that are filled at once: `cells` holds row after row, each of `width` cells. */
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

  /** Adds a row and returns where it begins in `cells` (which may be another array than before); its cells hold anything. */
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

  /** What the rows hold in one of their cells, from 0 to `width` − 1. */
  column(cell: number): Int32Array {
    const { cells, width, length } = this;
    const column = new Int32Array(length);
    for (let row = 0, at = cell; row < length; row++, at += width) column[row] = intAt(cells, at);
    return column;
  }

  /** Takes all rows away and keeps their room. */
  clear(): void {
    this.used = 0;
  }
}

/** Numbers the places that rows of a table come from, each once. */
export class OriginTable {
  readonly ranges: SourceRange[] = [];
  private readonly indices = new Map<SourceRange, number>();

  /** The index of a place, −1 for none. */
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

/** Puts rows together that are of one group. @param groupOf the group of each row, −1 for rows of none */
export function byGroup(groupOf: Int32Array, groups: number): RowsByGroup {
  const first = groupStarts(groupOf, groups);
  const rows = new Int32Array(intAt(first, groups));
  placeRows(groupOf, first.slice(), rows);
  return { first, rows };
}

/** Where each group would begin if rows stood group by group; one entry more than groups. */
export function groupStarts(groupOf: Int32Array, groups: number): Int32Array {
  const first = new Int32Array(groups + 1);
  countRows(groupOf, first);
  addUp(first);
  return first;
}

// Loops by themselves: while a long one runs V8 compiles its function, and again for every line before it that has not been seen to run.

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

/**
 * Mixed-integer linear models, sparse: minimise c·x where every row keeps its bounds, rowLower ≤ A x ≤ rowUpper, and every column
 * its own. Bounds may be infinite.
 */

import { IntColumn } from '../../ir/column.ts';
import { noticeable } from '../../ir/units.ts';
import { FloatColumn } from './float-column.ts';

export interface LinearModel {
  readonly columns: number;
  readonly rows: number;
  /** Of each column: its cost, its bounds, and 1 where it must be whole. */
  readonly cost: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly whole: Uint8Array;
  readonly rowLower: Float64Array;
  readonly rowUpper: Float64Array;
  /** Row r has the coefficients `value[i]` of the columns `column[i]` for `rowStart[r] ≤ i < rowStart[r + 1]`. */
  readonly rowStart: Int32Array;
  readonly column: Int32Array;
  readonly value: Float64Array;
}

export interface ColumnBounds {
  readonly lower: number;
  readonly upper: number;
  /** Only whole numbers will do. */
  readonly whole: boolean;
  /** What one costs; nothing if left out. */
  readonly cost?: number;
}

/** Collects a model: columns first, then rows of them. */
export class ModelBuilder {
  private readonly cost = new FloatColumn();
  private readonly lower = new FloatColumn();
  private readonly upper = new FloatColumn();
  private readonly whole = new IntColumn();
  private readonly rowLower = new FloatColumn();
  private readonly rowUpper = new FloatColumn();
  private readonly rowStart = new IntColumn();
  private readonly columnOf = new IntColumn();
  private readonly value = new FloatColumn();

  /** Columns and rows so far. */
  get columns(): number {
    return this.cost.length;
  }

  get rows(): number {
    return this.rowLower.length;
  }

  /** Adds a column and returns its number. */
  column({ lower, upper, whole, cost = 0 }: ColumnBounds): number {
    this.cost.push(cost);
    this.lower.push(lower);
    this.upper.push(upper);
    this.whole.push(whole ? 1 : 0);
    return this.cost.length - 1;
  }

  /** Starts a row; its coefficients follow, by `add`. */
  row(lower: number, upper: number): void {
    this.rowLower.push(lower);
    this.rowUpper.push(upper);
    this.rowStart.push(this.columnOf.length);
  }

  /** A coefficient of the row that was started last; each column at most once. */
  add(column: number, value: number): void {
    this.columnOf.push(column);
    this.value.push(value);
  }

  build(): LinearModel {
    const rowStart = new Int32Array(this.rows + 1);
    rowStart.set(this.rowStart.view());
    rowStart[this.rows] = this.columnOf.length;
    return {
      columns: this.columns,
      rows: this.rows,
      cost: this.cost.view(),
      lower: this.lower.view(),
      upper: this.upper.view(),
      whole: Uint8Array.from(this.whole.view()),
      rowLower: this.rowLower.view(),
      rowUpper: this.rowUpper.view(),
      rowStart,
      column: this.columnOf.view(),
      value: this.value.view(),
    };
  }
}

/**
 * Replays a solution: whole columns are rounded, and every row and bound is checked with what they were rounded to.
 *
 * @returns the values; undefined where they do not solve the model
 */
export function replayed(model: LinearModel, values: ArrayLike<number>): Float64Array | undefined {
  const exact = Float64Array.from({ length: model.columns }, (_, c) =>
    model.whole[c] === 1 ? Math.round(values[c]) : values[c],
  );
  for (let c = 0; c < model.columns; c++) {
    if (!isWithin(exact[c], model.lower[c], model.upper[c]) || Math.abs(exact[c] - values[c]) > 1e-4) return undefined;
  }
  for (let row = 0; row < model.rows; row++) {
    let sum = 0;
    for (let i = model.rowStart[row]; i < model.rowStart[row + 1]; i++) sum += model.value[i] * exact[model.column[i]];
    if (!isWithin(sum, model.rowLower[row], model.rowUpper[row])) return undefined;
  }
  return exact;
}

/** What the objective comes to. */
export function objectiveOf(model: LinearModel, values: Float64Array): number {
  return values.reduce((sum, value, c) => sum + value * model.cost[c], 0);
}

function isWithin(value: number, lower: number, upper: number): boolean {
  return (
    value >= lower - noticeable * Math.max(1, Math.abs(lower)) &&
    value <= upper + noticeable * Math.max(1, Math.abs(upper))
  );
}

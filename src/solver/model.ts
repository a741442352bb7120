/**
 * Sparse mixed-integer linear models: minimise c·x subject to rowLower ≤ A x ≤ rowUpper and lower ≤ x ≤ upper, with some columns
 * restricted to whole numbers. Bounds may be infinite.
 */
import { noticeable } from '../ir/units.ts';

/**
 * A model in arrays: columns are variables, rows are constraints stored in compressed sparse row format. Example: row 0 with the terms 2·x1
 * + x3 has `rowStart` 0 and 2, `column` 1 and 3, `value` 2 and 1.
 */
export interface LinearModel {
  readonly columns: number;
  readonly rows: number;
  /** By column: its coefficient in the objective, its bounds, and 1 if it must be a whole number. */
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

/** A variable as it is added to a model. */
export interface ColumnBounds {
  readonly lower: number;
  readonly upper: number;
  /** Whether the column must be a whole number. */
  readonly whole: boolean;
  /** The column's coefficient in the objective; 0 if left out. */
  readonly cost?: number;
}

/** Builds a model: first all columns, then row after row with its coefficients. */
export class ModelBuilder {
  private readonly all: ColumnBounds[] = [];
  private readonly rowLower: number[] = [];
  private readonly rowUpper: number[] = [];
  private readonly rowStart: number[] = [];
  private readonly columnOf: number[] = [];
  private readonly value: number[] = [];

  /** Number of columns added so far. */
  get columns(): number {
    return this.all.length;
  }

  get rows(): number {
    return this.rowLower.length;
  }

  /** Adds a column and returns its number. */
  column(bounds: ColumnBounds): number {
    return this.all.push(bounds) - 1;
  }

  /** Starts a row. Calls of `add` give its coefficients. */
  row(lower: number, upper: number): void {
    this.rowLower.push(lower);
    this.rowUpper.push(upper);
    this.rowStart.push(this.columnOf.length);
  }

  /** Sets a coefficient of the row that was started last; at most one for each column. */
  add(column: number, value: number): void {
    this.columnOf.push(column);
    this.value.push(value);
  }

  build(): LinearModel {
    return {
      columns: this.columns,
      rows: this.rows,
      cost: Float64Array.from(this.all, ({ cost = 0 }) => cost),
      lower: Float64Array.from(this.all, ({ lower }) => lower),
      upper: Float64Array.from(this.all, ({ upper }) => upper),
      whole: Uint8Array.from(this.all, ({ whole }) => (whole ? 1 : 0)),
      rowLower: Float64Array.from(this.rowLower),
      rowUpper: Float64Array.from(this.rowUpper),
      rowStart: Int32Array.from([...this.rowStart, this.columnOf.length]),
      column: Int32Array.from(this.columnOf),
      value: Float64Array.from(this.value),
    };
  }
}

/**
 * Checks a solver's solution: rounds the columns that must be whole, and checks every row and bound with the rounded values.
 *
 * @returns the rounded values; undefined if they violate a row or bound, or if rounding moved one by more than 10⁻⁴
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

/** The value of the objective, c·x. */
export function objectiveOf(model: LinearModel, values: Float64Array): number {
  return values.reduce((sum, value, c) => sum + value * model.cost[c], 0);
}

function isWithin(value: number, lower: number, upper: number): boolean {
  const slackOf = (bound: number): number => noticeable * Math.max(1, Math.abs(bound));
  return value >= lower - slackOf(lower) && value <= upper + slackOf(upper);
}

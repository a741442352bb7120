/** Models that grow, for solvers that begin anew each time. */
import type { LinearModel } from './model.ts';
import type { GrowingModel, GrownAnswer, SolveOptions, SparseColumn } from './solver.ts';

/** The model with more columns, from 0 to infinity. */
export function appended(model: LinearModel, columns: readonly SparseColumn[]): LinearModel {
  if (columns.length === 0) return model;
  const entries: [number, number][][] = Array.from({ length: model.rows }, () => []);
  columns.forEach(({ rows, values }, c) => {
    rows.forEach((row, i) => {
      entries[row].push([model.columns + c, values[i]]);
    });
  });
  const rowStart = new Int32Array(model.rows + 1);
  const [column, value]: [number[], number[]] = [[], []];
  for (let row = 0; row < model.rows; row++) {
    for (let i = model.rowStart[row]; i < model.rowStart[row + 1]; i++) {
      column.push(model.column[i]);
      value.push(model.value[i]);
    }
    for (const [c, coefficient] of entries[row]) {
      column.push(c);
      value.push(coefficient);
    }
    rowStart[row + 1] = column.length;
  }
  const extended = (part: Float64Array, more: readonly number[]): Float64Array => Float64Array.from([...part, ...more]);
  return {
    ...model,
    columns: model.columns + columns.length,
    cost: extended(
      model.cost,
      columns.map(({ cost }) => cost),
    ),
    lower: extended(
      model.lower,
      columns.map(() => 0),
    ),
    upper: extended(
      model.upper,
      columns.map(() => Number.POSITIVE_INFINITY),
    ),
    whole: Uint8Array.from([...model.whole, ...columns.map(() => 0)]),
    rowStart,
    column: Int32Array.from(column),
    value: Float64Array.from(value),
  };
}

/** A growing model that is solved from the beginning each time. */
export function growingAnew(
  model: LinearModel,
  solve: (model: LinearModel, options: SolveOptions) => GrownAnswer | undefined,
): GrowingModel {
  const columns: SparseColumn[] = [];
  return {
    add: (column) => columns.push(column),
    solve: (options = {}) => solve(appended(model, columns), options),
    close: () => {},
  };
}

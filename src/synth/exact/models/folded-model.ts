/**
 * Models made smaller by symmetry. If a group of renumberings takes columns to columns and rows to rows, the solutions that it leaves
 * as they are need one column for all images of a column, and one row for all images of a row.
 *
 * A solution of the folded model is one of the whole model. That there is none says nothing about the whole model, unless all of its
 * columns that move may be fractions: then the mean of a solution's images is a solution that the group leaves as it is.
 */
import { type LinearModel, ModelBuilder } from '../../solver/index.ts';

export interface FoldedModel {
  readonly model: LinearModel;
  /** The values of all columns, from those of the folded model. */
  unfolded(values: Float64Array): Float64Array;
}

/** @param images `images[g][column]`: where each renumbering takes a column; columns with the same images become one */
export function foldedModel(model: LinearModel, images: readonly Int32Array[]): FoldedModel {
  const builder = new ModelBuilder();
  const folded = new Int32Array(model.columns);
  for (let column = 0; column < model.columns; column++) {
    const least = images.reduce((first, image) => Math.min(first, image[column]), column);
    folded[column] = least < column ? folded[least] : addColumn(builder, model, column, images);
  }
  addRows(builder, model, folded);
  return { model: builder.build(), unfolded: (values) => Float64Array.from(folded, (column) => values[column]) };
}

/** A column that stands for all images of one, with their costs together. */
function addColumn(
  builder: ModelBuilder,
  { cost, lower, upper, whole }: LinearModel,
  column: number,
  images: readonly Int32Array[],
): number {
  const orbit = new Set(images.map((image) => image[column]));
  return builder.column({
    lower: lower[column],
    upper: upper[column],
    whole: whole[column] === 1,
    cost: cost[column] * Math.max(1, orbit.size),
  });
}

/** Adds the rows in folded columns, each once. */
function addRows(builder: ModelBuilder, model: LinearModel, folded: Int32Array): void {
  const seen = new Set<string>();
  const sum = new Float64Array(builder.columns);
  const lastRow = new Int32Array(builder.columns).fill(-1);
  for (let row = 0; row < model.rows; row++) {
    const columns: number[] = [];
    for (let i = model.rowStart[row]; i < model.rowStart[row + 1]; i++) {
      const column = folded[model.column[i]];
      if (lastRow[column] !== row) {
        lastRow[column] = row;
        sum[column] = 0;
        columns.push(column);
      }
      sum[column] += model.value[i];
    }
    columns.sort((a, b) => a - b);
    const terms = columns.filter((column) => sum[column] !== 0);
    const name = `${model.rowLower[row]} ${model.rowUpper[row]} ${terms.map((column) => `${column}:${sum[column]}`)}`;
    if (seen.has(name)) continue;
    seen.add(name);
    builder.row(model.rowLower[row], model.rowUpper[row]);
    for (const column of terms) builder.add(column, sum[column]);
  }
}

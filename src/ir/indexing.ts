/**
 * Checked access to entries of columns and lists. Out of range, JavaScript yields `undefined`, with which arithmetic continues as NaN and comparisons
 * are false; these functions throw instead. There is one function per type of column: V8 inlines them as plain loads as long as each sees only one
 * type.
 */

/** An entry of a column of integers. @throws RangeError if the index is out of range */
export function intAt(column: Int32Array, index: number): number {
  return column[index] ?? outOfRange(column, index);
}

/** An entry of a column of floats. @throws RangeError if the index is out of range */
export function floatAt(column: Float64Array, index: number): number {
  return column[index] ?? outOfRange(column, index);
}

/** An item of a list whose items are never null or undefined. @throws RangeError if the index is out of range */
export function itemAt<Item>(list: readonly Item[], index: number): NonNullable<Item> {
  return list[index] ?? outOfRange(list, index);
}

/** An entry of a matrix, given as a list of its rows. @throws RangeError if an index is out of range */
export function matrixAt(rows: readonly (readonly number[])[], row: number, column: number): number {
  return itemAt(itemAt(rows, row), column);
}

function outOfRange({ length }: ArrayLike<unknown>, index: number): never {
  throw new RangeError(`there is no entry ${index} in ${length}`);
}

/**
 * Entries of columns and lists, by an index that must be in range. Outside of it JavaScript yields `undefined`, with which arithmetic goes on as NaN and
 * comparisons are false; these functions throw instead. There is one for each type of column: V8 compiles them into their callers as plain loads as
 * long as each of them sees one type only.
 */

/** @throws RangeError outside of the column */
export function intAt(column: Int32Array, index: number): number {
  return column[index] ?? outOfRange(column, index);
}

/** @throws RangeError outside of the column */
export function floatAt(column: Float64Array, index: number): number {
  return column[index] ?? outOfRange(column, index);
}

/** Of lists whose items are never null or undefined. @throws RangeError outside of the list */
export function itemAt<Item>(list: readonly Item[], index: number): NonNullable<Item> {
  return list[index] ?? outOfRange(list, index);
}

/** The entry of a matrix that is given as a list of its rows. @throws RangeError outside of it */
export function matrixAt(rows: readonly (readonly number[])[], row: number, column: number): number {
  return itemAt(itemAt(rows, row), column);
}

function outOfRange({ length }: ArrayLike<unknown>, index: number): never {
  throw new RangeError(`there is no entry ${index} in ${length}`);
}

/** The type of layouts, and the arrangement of equal blocks in rows. */
import { spacing } from './spacing.ts';

/** The rectangle drawn round the nodes of a declared group. */
export interface LayoutBox {
  readonly label: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Places of nodes, in units of the distance between neighbours: x to the right, y down, all within width and height. */
export interface MachineLayout {
  readonly kind: 'ring' | 'line' | 'grid' | 'boxes' | 'circle' | 'rows';
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly LayoutBox[];
}

/** The number of columns in which equal blocks fill the drawing best, with few empty places in the last row. @param width and height of a block, gaps included */
export function columnsFor(count: number, width: number, height: number): number {
  let [best, least] = [1, Number.POSITIVE_INFINITY];
  for (let columns = 1; columns <= count; columns++) {
    const ratio = (columns * width) / (Math.ceil(count / columns) * height);
    const empty = 1 - count / (columns * Math.ceil(count / columns));
    const off = Math.abs(Math.log(ratio / spacing.ratio)) + 2 * empty;
    if (off < least) [best, least] = [columns, off];
  }
  return best;
}

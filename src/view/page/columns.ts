/** Decodes the columns of numbers in a page's data. */
import { inflateSync } from 'fflate';
import type { PageColumn } from '../page-document.ts';

export type NumberColumn = Uint8Array | Int8Array | Int16Array | Int32Array | Float64Array;

export function columnOf({ type, base64 }: PageColumn): NumberColumn {
  const text = atob(base64);
  const deflated = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) deflated[at] = text.charCodeAt(at);
  const bytes = inflateSync(deflated).slice();
  switch (type) {
    case 'u8':
      return bytes;
    case 'i8':
      return new Int8Array(bytes.buffer);
    case 'i16':
      return new Int16Array(bytes.buffer);
    case 'i32':
      return new Int32Array(bytes.buffer);
    case 'f64':
      return new Float64Array(bytes.buffer);
  }
}

/** Bisection: the index of the first of the ascending entries `from … to − 1` that is greater than `limit`; `to` if there is none. */
export function firstAbove(column: ArrayLike<number>, limit: number, from = 0, to = column.length): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Columns of numbers as text that a page can hold. */
import { deflateRawSync } from 'node:zlib';
import type { PageColumn } from './page-document.ts';

/** Whole numbers of up to 53 bits, each in the narrowest type that has room for all. */
export function intColumn(values: ArrayLike<number>): PageColumn {
  let [least, most] = [0, 0];
  for (let at = 0; at < values.length; at++) {
    if (values[at] < least) least = values[at];
    if (values[at] > most) most = values[at];
  }
  if (least >= 0 && most <= 0xff) return { type: 'u8', base64: base64Of(Uint8Array.from(values)) };
  if (least >= -0x80 && most <= 0x7f) return { type: 'i8', base64: base64Of(Int8Array.from(values)) };
  if (least >= -0x8000 && most <= 0x7fff) return { type: 'i16', base64: base64Of(Int16Array.from(values)) };
  if (least >= -(2 ** 31) && most < 2 ** 31) return { type: 'i32', base64: base64Of(Int32Array.from(values)) };
  return floatColumn(values);
}

export function floatColumn(values: ArrayLike<number>): PageColumn {
  return { type: 'f64', base64: base64Of(Float64Array.from(values)) };
}

function base64Of({ buffer }: { readonly buffer: ArrayBufferLike }): string {
  return deflateRawSync(new Uint8Array(buffer)).toString('base64');
}

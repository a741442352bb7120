/** Columns of numbers as text that can be embedded in a page. */
import { deflateSync } from 'fflate';
import { base64Of } from './base64.ts';
import type { PageColumn } from './page-document.ts';

/** A column of whole numbers of up to 53 bits, in the narrowest type that holds all of them. */
export function intColumn(values: ArrayLike<number>): PageColumn {
  let [least, most] = [0, 0];
  for (let at = 0; at < values.length; at++) {
    if (values[at] < least) least = values[at];
    if (values[at] > most) most = values[at];
  }
  if (least >= 0 && most <= 0xff) return { type: 'u8', base64: deflated(Uint8Array.from(values)) };
  if (least >= -0x80 && most <= 0x7f) return { type: 'i8', base64: deflated(Int8Array.from(values)) };
  if (least >= -0x8000 && most <= 0x7fff) return { type: 'i16', base64: deflated(Int16Array.from(values)) };
  if (least >= -(2 ** 31) && most < 2 ** 31) return { type: 'i32', base64: deflated(Int32Array.from(values)) };
  return floatColumn(values);
}

export function floatColumn(values: ArrayLike<number>): PageColumn {
  return { type: 'f64', base64: deflated(Float64Array.from(values)) };
}

function deflated({ buffer }: { readonly buffer: ArrayBufferLike }): string {
  return base64Of(deflateSync(new Uint8Array(buffer)));
}

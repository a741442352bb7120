/** Values of parameters as people write them, and rounded to what they write. */
import { type BytesPerSecond, parseBytesPerSecond, parseSeconds, type Seconds } from '../ir/units.ts';
import type { CalibratedParameter } from './parameters.ts';

/** Digits that are written: measurements tell no more. */
const digits = 4;

/** `9.83 us`. */
export function durationText(seconds: Seconds): string {
  return `${Number((seconds * 1e6).toPrecision(digits))} us`;
}

/** `18.73 GB/s`. */
export function rateText(rate: BytesPerSecond): string {
  return `${Number((rate / 1e9).toPrecision(digits))} GB/s`;
}

/** A value in its unit, as text. */
export function valueText(unit: CalibratedParameter['unit'], value: number): string {
  return unit === 'seconds' ? durationText(value) : rateText(1 / value);
}

/** The value that the text of a value says: what is written is what is judged. */
export function asWritten(unit: CalibratedParameter['unit'], value: number): number {
  const text = valueText(unit, value);
  const read = unit === 'seconds' ? parseSeconds(text) : parseBytesPerSecond(text);
  if (!('value' in read)) throw new Error(`'${text}' cannot be read back`);
  return unit === 'seconds' ? read.value : 1 / read.value;
}

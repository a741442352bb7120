/** Values of parameters as text with a unit, and the values that such texts stand for. */
import { type BytesPerSecond, parseBytesPerSecond, parseSeconds, type Seconds } from '../ir/units.ts';
import type { CalibratedParameter } from './parameters.ts';

/** Significant digits that are written: measurements determine no more. */
const digits = 4;

/** A duration as text: `9.83 us`. */
export function durationText(seconds: Seconds): string {
  return `${Number((seconds * 1e6).toPrecision(digits))} us`;
}

/** A rate as text: `18.73 GB/s`. */
export function rateText(rate: BytesPerSecond): string {
  return `${Number((rate / 1e9).toPrecision(digits))} GB/s`;
}

/** The value of a parameter as text with its unit. */
export function valueText(unit: CalibratedParameter['unit'], value: number): string {
  return unit === 'seconds' ? durationText(value) : rateText(1 / value);
}

/** The value rounded as its text is, so that the written numbers are the ones that are judged. */
export function asWritten(unit: CalibratedParameter['unit'], value: number): number {
  const text = valueText(unit, value);
  const read = unit === 'seconds' ? parseSeconds(text) : parseBytesPerSecond(text);
  if (!('value' in read)) throw new Error(`'${text}' cannot be read back`);
  return unit === 'seconds' ? read.value : 1 / read.value;
}

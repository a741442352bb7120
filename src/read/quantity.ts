/** Reads durations, rates and amounts of data with units from YAML files and from the command line. */
import { CccError, type SourceRange } from '../ir/diagnostic.ts';
import {
  type Bytes,
  type BytesPerSecond,
  longestTime,
  parseBytes,
  parseBytesPerSecond,
  parseSeconds,
  type QuantityResult,
  type Seconds,
} from '../ir/units.ts';
import { scalarOf } from './fields.ts';
import type { YamlNode } from './yaml.ts';

/** @throws CccError 'unit' without a unit, 'range' when negative or longer than can be computed with */
export function secondsOf(node: YamlNode, what: string): Seconds {
  return secondsFrom(scalarOf(node, 'a duration such as 0.55 us').text, what, node.range);
}

/** @throws CccError 'unit' without a unit, 'range' when it is not positive or slower than can be computed with */
export function rateFromText(node: YamlNode, what: string): BytesPerSecond {
  return rateFrom(scalarOf(node, 'a rate such as 64 GB/s').text, what, node.range);
}

/** @throws CccError 'unit' without a unit, 'range' when it is not positive */
export function bytesFromText(node: YamlNode, what: string): Bytes {
  const { text } = scalarOf(node, 'a size such as 16 MiB');
  const value = quantityFrom(parseBytes(text), text, what, node.range);
  if (value > 0) return value;
  throw new CccError('range', `${what} must be more than 0: ${text.trim()}`, node.range);
}

/** The slowest rate: at slower ones the times of messages would exceed the longest duration. */
const slowest: BytesPerSecond = 1 / longestTime;

/** A duration from the command line, or from the place in a file. */
export function secondsFrom(text: string, what: string, range?: SourceRange): Seconds {
  const value = quantityFrom(parseSeconds(text), text, what, range);
  if (value > longestTime)
    throw new CccError('range', `${what} must be ${longestTime} s at most: ${text.trim()}`, range);
  if (value >= 0) return value;
  throw new CccError('range', `${what} cannot be negative: ${text.trim()}`, range);
}

/** A rate from the command line, or from the place in a file. */
export function rateFrom(text: string, what: string, range?: SourceRange): BytesPerSecond {
  const value = quantityFrom(parseBytesPerSecond(text), text, what, range);
  if (value >= slowest) return value;
  const least = value > 0 ? `${slowest} B/s at least` : 'more than 0';
  throw new CccError('range', `${what} must be ${least}: ${text.trim()}`, range);
}

function quantityFrom(result: QuantityResult, text: string, what: string, range: SourceRange | undefined): number {
  if ('value' in result) return result.value;
  throw new CccError('unit', `${what}: expected ${result.expected}, found '${text}'`, range);
}

/** Reads sizes of shards (`--counts`) from a list or a file. */
import { CccError } from '../ir/diagnostic.ts';
import type { Limits } from '../ir/limits.ts';
import { type Bytes, parseBytes } from '../ir/units.ts';
import { isFilePath, readSource } from './source.ts';

/** The largest number of bytes that double precision represents exactly. */
const mostBytes = Number.MAX_SAFE_INTEGER;

/**
 * Reads counts in bytes from a list such as `1MiB,0,3MiB`, or from a file with such a list, in which line breaks separate, too.
 * @throws CccError 'unit' for a count that is no amount of data, 'range' for one that is no whole number of bytes, and errors of `readSource`
 */
export function readCounts(listOrPath: string, limits: Limits): readonly Bytes[] {
  const text = isFilePath(listOrPath.trim()) ? readSource(listOrPath.trim(), limits).text : listOrPath;
  return text
    .trim()
    .split(/\s*[,\n]\s*/)
    .map((count, index) => countFrom(count, index));
}

function countFrom(text: string, index: number): Bytes {
  const result = parseBytes(text);
  if ('expected' in result) {
    throw new CccError('unit', `count ${index + 1}: expected ${result.expected}, found '${text.slice(0, 40)}'`);
  }
  const bytes = Math.round(result.value);
  // 1.1 GB is a whole number of bytes, although its product in double precision is not exactly one.
  const isWhole = Math.abs(result.value - bytes) <= 1e-9 * Math.abs(result.value);
  if (isWhole && bytes >= 0 && bytes <= mostBytes) return bytes;
  throw new CccError('range', `count ${index + 1}: expected a whole number of bytes, 0 or more, found '${text}'`);
}

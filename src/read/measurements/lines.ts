/** Splits a text into lines and words, each with its place. Prefixes that launchers such as mpirun put in front of a line are dropped. */
import { CccError, type SourceRange, type SourceText } from '../../ir/diagnostic.ts';
import { prefixLengthOf } from './launcher-prefix.ts';

export interface Word {
  readonly text: string;
  readonly range: SourceRange;
}

export interface TextLine {
  readonly text: string;
  readonly range: SourceRange;
  /** Separated by white space. */
  readonly words: readonly Word[];
}

/** Returns all non-empty lines without the prefixes of launchers. */
export function linesOf(source: SourceText): readonly TextLine[] {
  const lines: TextLine[] = [];
  let start = 0;
  const all = source.text.split('\n');
  const prefixLength = prefixLengthOf(all);
  for (const whole of all) {
    const prefix = prefixLength(whole);
    const text = whole.slice(prefix);
    const offset = start + prefix;
    start += whole.length + 1;
    if (text.trim() === '') continue;
    const rangeOf = (from: number, length: number): SourceRange => {
      return { source, start: offset + from, end: offset + from + length };
    };
    const words = [...text.matchAll(/\S+/g)].map((match) => ({
      text: match[0],
      range: rangeOf(match.index, match[0].length),
    }));
    lines.push({ text: text.trim(), range: rangeOf(0, text.trimEnd().length), words });
  }
  return lines;
}

const plain = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Reads a number without a unit. @throws CccError 'unit' for a number with a unit, 'schema' for anything else */
export function numberOf({ text, range }: Word, what: string): number {
  if (plain.test(text)) return Number(text);
  if (/^[+-]?[\d.]+\s*\p{L}/u.test(text)) {
    throw new CccError('unit', `${what} must be a plain number without a unit, not '${text}'`, range);
  }
  throw new CccError('schema', `expected ${what} as a number, found '${text}'`, range);
}

/** Reads a whole number of bytes, 0 included. @throws CccError as `numberOf`, and 'range' */
export function byteCountOf(word: Word, what: string): number {
  const value = numberOf(word, what);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new CccError('range', `${what} must be a whole number of bytes of at least 0, not ${word.text}`, word.range);
}

/**
 * Reads a time and returns it in seconds. @param unit the unit of the text in seconds, such as 1e-6 @throws CccError as `numberOf`, and 'range' for a
 * time that is not positive
 */
export function timeFromText(word: Word, what: string, unit: number): number {
  const value = numberOf(word, what);
  if (value > 0 && Number.isFinite(value)) return value * unit;
  throw new CccError('range', `${what} must be more than 0, not ${word.text}: no call takes no time`, word.range);
}

/** Lines of a text and the words in them, each with its place; what launchers put in front of a line is left out. */
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

/** All lines that are not empty, without the prefixes of launchers. */
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

/** A number without a unit. @throws CccError 'unit' for one that has a unit, 'schema' for what is no number */
export function numberOf({ text, range }: Word, what: string): number {
  if (plain.test(text)) return Number(text);
  if (/^[+-]?[\d.]+\s*\p{L}/u.test(text)) {
    throw new CccError('unit', `${what} must be a plain number without a unit, not '${text}'`, range);
  }
  throw new CccError('schema', `expected ${what} as a number, found '${text}'`, range);
}

/** A whole number of bytes of at least 0. @throws CccError as `numberOf`, and 'range' */
export function byteCountOf(word: Word, what: string): number {
  const value = numberOf(word, what);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new CccError('range', `${what} must be a whole number of bytes of at least 0, not ${word.text}`, word.range);
}

/** A time in units of `unit` seconds. @throws CccError as `numberOf`, and 'range' for one that is not more than 0 */
export function timeFromText(word: Word, what: string, unit: number): number {
  const value = numberOf(word, what);
  if (value > 0 && Number.isFinite(value)) return value * unit;
  throw new CccError('range', `${what} must be more than 0, not ${word.text}: no call takes no time`, word.range);
}

/** Reads logs of nccl-tests and rccl-tests: a head of column names, then one line per size with the times out of place and in place. */
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import { byteCountOf, linesOf, type TextLine, timeFromText, type Word } from './lines.ts';
import type { Measurement, MeasurementTable } from './measurement.ts';

/** The head of a table. It names `time` twice, since every size is timed out of place and in place, each followed by its bandwidths. */
const head = /^#?\s*size\s+count\s.*\btime\b.*\bbusbw\b/;

export function isNcclLog(source: SourceText): boolean {
  return linesOf(source).some(({ text }) => head.test(text));
}

/**
 * Reads a log. @throws CccError 'schema' for rows that do not fit the head, 'unit' for times that are not in µs, 'range' for impossible sizes and
 * times
 */
export function readNcclLog(source: SourceText): MeasurementTable {
  const measurements: Measurement[] = [];
  let columns: readonly string[] = [];
  for (const line of linesOf(source)) {
    if (head.test(line.text)) columns = namesOf(line);
    else if (/^#?\s*\(B\)/.test(line.text)) checkUnits(line);
    else if (columns.length > 0 && /^\d+$/.test(line.words[0].text)) measurements.push(...rowOf(line, columns));
  }
  return { measurements, collective: undefined, date: undefined, notes: [] };
}

function namesOf({ words }: TextLine): readonly string[] {
  return words.map(({ text }) => text.replace(/^#/, '')).filter((text) => text !== '');
}

function checkUnits({ text, range }: TextLine): void {
  if (!/\(us\)/.test(text)) throw new CccError('unit', 'the times of this log are not in us', range);
}

function rowOf({ words, range }: TextLine, columns: readonly string[]): readonly Measurement[] {
  const times = columns.flatMap((name, index) => (name === 'time' ? [index] : []));
  // Calls without an operator or a root leave these columns empty, so times are located from the end of the row.
  const fromEnd = columns.length - times[0];
  const least = fromEnd + 2;
  if (words.length < least || words.length > columns.length) {
    const message = `the row has ${words.length} values; its head names ${columns.length}`;
    throw new CccError('schema', `${message}: ${columns.join(' ')}`, range);
  }
  const size = byteCountOf(words[0], 'size');
  return times.flatMap((column, index): readonly Measurement[] => {
    const word: Word = words[words.length - (columns.length - column)];
    if (word.text === 'N/A') return [];
    const inPlace = index === 1;
    const seconds = timeFromText(word, 'time', 1e-6);
    return [{ plan: undefined, protocol: undefined, size, counted: 'message', seconds, inPlace, place: word.range }];
  });
}

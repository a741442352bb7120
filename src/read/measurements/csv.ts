/** Reads comma-separated values (RFC 4180) with the columns `plan,protocol,size,seconds` and optionally `in_place` and `date`. */
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import { parseBytes } from '../../ir/units.ts';
import { nearestNames } from '../nearest.ts';
import { byteCountOf, timeFromText, type Word } from './lines.ts';
import type { Measurement, MeasurementTable } from './measurement.ts';

const required = ['plan', 'protocol', 'size', 'seconds'] as const;
const optional = ['in_place', 'date'] as const;
type Column = (typeof required)[number] | (typeof optional)[number];

/** Whether the first line is the head of such a table, or similar enough that the user must have meant one. */
export function isCsv({ text }: SourceText): boolean {
  const head = text
    .slice(0, 4000)
    .replace(/^\ufeff/, '')
    .split('\n', 1)[0];
  const cells = head.split(',').map((cell) => cell.trim().replaceAll('"', '').toLowerCase());
  return cells.length > 1 && cells.some((cell) => /^(?:plan|protocol|size|seconds)/.test(cell));
}

/** Reads the table. @throws CccError 'schema' for missing columns, 'unit' and 'range' for impossible sizes and times */
export function readCsv(source: SourceText): MeasurementTable {
  const [head, ...rows] = recordsOf(source);
  const columns = columnsOf(head);
  let latest: string | undefined;
  const measurements = rows.map((row) => {
    if (row.length !== head.length) {
      const message = `the row has ${row.length} cells, and the head ${head.length}`;
      throw new CccError('schema', message, row[0].range);
    }
    const cell = (column: Column): Word | undefined => {
      const index = columns.get(column);
      return index === undefined || row[index].text === '' ? undefined : row[index];
    };
    const date = cell('date');
    if (date !== undefined) latest = laterOf(latest, date);
    return measurementOf(cell, row[0]);
  });
  return { measurements, collective: undefined, date: latest, notes: [] };
}

function measurementOf(cell: (column: Column) => Word | undefined, first: Word): Measurement {
  const needed = (column: Column): Word => {
    const word = cell(column);
    if (word === undefined) throw new CccError('schema', `the row has no ${column}`, first.range);
    return word;
  };
  const plan = needed('plan');
  return {
    plan: plan.text,
    protocol: cell('protocol')?.text,
    size: sizeOf(needed('size')),
    counted: 'message',
    seconds: timeFromText(needed('seconds'), 'seconds', 1),
    inPlace: flagOf(cell('in_place')),
    place: plan.range,
  };
}

/** Reads a number of bytes, with or without a unit. */
function sizeOf(word: Word): number {
  const result = parseBytes(word.text);
  if ('value' in result) return byteCountOf({ ...word, text: String(result.value) }, 'size');
  throw new CccError('unit', `size: expected ${result.expected}, found '${word.text}'`, word.range);
}

const flags: Readonly<Record<string, boolean>> = { 0: false, 1: true, no: false, yes: true, false: false, true: true };

function flagOf(word: Word | undefined): boolean | undefined {
  if (word === undefined) return undefined;
  const flag = flags[word.text.toLowerCase()];
  if (flag !== undefined) return flag;
  throw new CccError('schema', `in_place is 0 or 1, not '${word.text}'`, word.range);
}

function laterOf(date: string | undefined, { text, range }: Word): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) {
    throw new CccError('schema', `expected a date such as 2024-04-03, found '${text}'`, range);
  }
  return date === undefined || text > date ? text : date;
}

function columnsOf(head: readonly Word[]): ReadonlyMap<Column, number> {
  const names: readonly Column[] = [...required, ...optional];
  const columns = new Map<Column, number>();
  head.forEach(({ text, range }, index) => {
    const name = names.find((column) => column === text.toLowerCase());
    if (name === undefined) return;
    if (columns.has(name)) throw new CccError('schema', `there are two columns '${name}'`, range);
    columns.set(name, index);
  });
  const missing = required.filter((column) => !columns.has(column));
  if (missing.length === 0) return columns;
  const found = head.map(({ text }) => text);
  const unit = found.find((text) => /^(?:time|seconds|us|ms)\b|_(?:us|ms|ns|s)$/i.test(text));
  const hint = missing.includes('seconds') && unit !== undefined ? `; times are in seconds, not '${unit}'` : '';
  const near = nearestNames(missing[0], found);
  throw new CccError('schema', `the table has no column ${missing.join(', ')}${hint}; ${near}`, head[0].range);
}

/** Splits a text into records of cells. Quoted cells may contain commas, line ends and doubled quotes. Empty lines are skipped. */
function recordsOf(source: SourceText): Word[][] {
  const { text } = source;
  const cellPattern = /[ \t]*(?:"((?:[^"]|"")*)"[ \t]*|(?![ \t]*")([^,\r\n]*))(,|\r?\n|$)/y;
  const records: Word[][] = [];
  let record: Word[] = [];
  let at = text.startsWith('\ufeff') ? 1 : 0;
  while (at < text.length) {
    cellPattern.lastIndex = at;
    const match = cellPattern.exec(text);
    if (match === null) {
      const end = text.indexOf('\n', at);
      const range = { source, start: at, end: end === -1 ? text.length : end };
      throw new CccError('syntax', 'a cell whose quotes do not end, or with something behind them', range);
    }
    const [whole, quoted, bare, separator] = match;
    const range = { source, start: at, end: at + whole.length - separator.length };
    record.push({ text: quoted === undefined ? bare.trim() : quoted.replaceAll('""', '"'), range });
    at += whole.length;
    if (separator === ',' && at < text.length) continue;
    if (record.length > 1 || record[0].text !== '') records.push(record);
    record = [];
  }
  return records;
}

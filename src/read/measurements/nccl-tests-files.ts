/**
 * Reads the files that nccl-tests (`-J out.json`) and rccl-tests (`-Z json|csv -x out`) write in addition to their logs.
 *
 * nccl-tests: one document with `args` and `results`; a result is one size with `out_of_place` and `in_place`, each with its `time` in µs.
 * rccl-tests: a CSV table, or JSON objects (one per line, or in a list), with the fields `name`, `size`, `inPlace` and `time` in µs.
 */
import type { CollectiveKind } from '../../ir/collective.ts';
import { CccError, type SourceRange, type SourceText } from '../../ir/diagnostic.ts';
import { parseJson } from '../../ir/parse-json.ts';
import { linesOf, numberOf, timeFromText, type Word } from './lines.ts';
import type { Measurement, MeasurementTable } from './measurement.ts';
import { mpiCollective } from './mpi-collectives.ts';

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

/** Returns the collective: nccl-tests names it in the command line that the file repeats (`all_reduce_perf`), rccl-tests by itself (`AllReduce`). */
function collectiveNamed(name: string, range: SourceRange): CollectiveKind {
  return mpiCollective(name.replace(/^.*[\\/]/, '').replace(/_perf.*$/, ''), range);
}

function measurement(size: number, microseconds: number, inPlace: boolean, place: SourceRange): Measurement {
  if (!(size >= 0)) throw new CccError('range', `a size of ${size} bytes`, place);
  if (!(microseconds > 0)) throw new CccError('range', `a time of ${microseconds} us: no call takes no time`, place);
  const unsaid = { plan: undefined, protocol: undefined, counted: 'message' } as const;
  return { ...unsaid, size, seconds: microseconds * 1e-6, inPlace, place };
}

/** Whether a text is a document of nccl-tests: no other tool writes `results` with `alg_bw`. */
export function isNcclTestsDocument({ text }: SourceText): boolean {
  return /^\s*\{/.test(text) && /"results"\s*:/.test(text) && /"alg_bw"\s*:/.test(text);
}

/**
 * Reads a document of nccl-tests. @throws CccError 'syntax' for text that is not JSON, 'schema' for rows without size or time, 'range' for impossible
 * values
 */
export function readNcclTestsDocument(source: SourceText): MeasurementTable {
  const whole = { source, start: 0, end: Math.min(1, source.text.length) };
  const document = membersOf(parseJson(source, 'what nccl-tests -J writes'));
  if (document === undefined || !Array.isArray(document.results)) {
    throw new CccError('schema', `${source.name}: expected results, a list of rows`, whole);
  }
  const measurements = document.results.flatMap((row: unknown): readonly Measurement[] => {
    const members = membersOf(row);
    const size = members?.size;
    if (typeof size !== 'number') throw new CccError('schema', `${source.name}: a row without its size`, whole);
    return (['out_of_place', 'in_place'] as const).flatMap((place): readonly Measurement[] => {
      const timed = membersOf(members?.[place]);
      const time = timed?.time ?? timed?.cpu_time;
      return typeof time === 'number' ? [measurement(size, time, place === 'in_place', whole)] : [];
    });
  });
  const command = Array.isArray(document.args) ? document.args[0] : undefined;
  const collective = typeof command === 'string' ? collectiveNamed(command, whole) : undefined;
  return { measurements, collective, date: dayOf(document.start_time), notes: [] };
}

function dayOf(time: unknown): string | undefined {
  return typeof time === 'string' ? /^\d{4}-\d\d-\d\d/.exec(time)?.[0] : undefined;
}

/** A row of rccl-tests in CSV or JSON; `inPlace` is 0 or 1. */
interface RcclRow {
  readonly name: string | undefined;
  readonly size: number;
  readonly time: number;
  readonly inPlace: boolean;
  readonly place: SourceRange;
}

/** Whether a text is JSON of rccl-tests: objects with `algBw`, one per line or in a list. */
export function isRcclTestsJson({ text }: SourceText): boolean {
  return /^\s*[[{]/.test(text) && /"algBw"\s*:/.test(text) && /"time"\s*:/.test(text);
}

/**
 * Reads JSON of rccl-tests. @throws CccError 'syntax' for text that is not JSON, 'schema' for rows without size or time, 'range' for impossible
 * values
 */
export function readRcclTestsJson(source: SourceText): MeasurementTable {
  const isList = /^\s*\[/.test(source.text);
  const texts = isList ? [{ text: source.text, start: 0 }] : objectLines(source.text);
  const rows = texts.flatMap(({ text, start }) => {
    const place = { source, start, end: start + text.length };
    const parsed = parseRow(text, place);
    const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
    return list.map((row): RcclRow => {
      const { name, size, time, inPlace } = membersOf(row) ?? {};
      const [bytes, microseconds] = [Number(size), Number(time)];
      if (!Number.isFinite(bytes) || !Number.isFinite(microseconds)) {
        throw new CccError('schema', 'a row of rccl-tests has a size and a time', place);
      }
      const isInPlace = Number(inPlace) === 1 || inPlace === true;
      return {
        name: typeof name === 'string' ? name : undefined,
        size: bytes,
        time: microseconds,
        inPlace: isInPlace,
        place,
      };
    });
  });
  return tableOf(rows);
}

function parseRow(text: string, place: SourceRange): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CccError('syntax', 'a row of rccl-tests that is not JSON', place);
  }
}

/** Returns the lines that hold a JSON object, without the comma after it. */
function objectLines(text: string): readonly { readonly text: string; readonly start: number }[] {
  return [...text.matchAll(/^[ \t]*(\{.*\}),?[ \t\r]*$/gm)].map((match) => ({ text: match[1], start: match.index }));
}

/** Whether the first line is the head of a CSV table of rccl-tests. */
export function isRcclTestsCsv(source: SourceText): boolean {
  const names = headOf(source);
  return ['size', 'time', 'algbw'].every((name) => names.includes(name));
}

/** Returns the names of the columns in lower case and without units: `size(B)` becomes `size`. */
function headOf({ text }: SourceText): readonly string[] {
  const head = text
    .slice(0, 4000)
    .replace(/^\ufeff/, '')
    .split('\n', 1)[0];
  return head.split(',').map((cell) =>
    cell
      .trim()
      .toLowerCase()
      .replace(/\(.*\)$/, ''),
  );
}

/** Reads CSV of rccl-tests. @throws CccError 'schema' for rows that do not fit the head, 'unit' and 'range' for impossible values */
export function readRcclTestsCsv(source: SourceText): MeasurementTable {
  const names = headOf(source);
  const [, ...lines] = linesOf(source);
  const rows = lines.map(({ text, range }): RcclRow => {
    const cells = text.split(',').map((cell) => cell.trim());
    if (cells.length !== names.length) {
      throw new CccError('schema', `the row has ${cells.length} cells, and the head ${names.length}`, range);
    }
    const cell = (name: string): Word => ({ text: cells[names.indexOf(name)] ?? '', range });
    const time = timeFromText(cell('time'), 'time', 1);
    const inPlace = /^(?:1|true|yes)$/i.test(cell('inplace').text);
    const name = names.includes('name') ? cell('name').text : undefined;
    return { name, size: numberOf(cell('size'), 'size'), time, inPlace, place: range };
  });
  return tableOf(rows);
}

function tableOf(rows: readonly RcclRow[]): MeasurementTable {
  const kinds = new Set(rows.flatMap(({ name, place }) => (name === undefined ? [] : [collectiveNamed(name, place)])));
  const [collective, other] = kinds;
  if (other !== undefined) {
    throw new CccError(
      'schema',
      `the file has rows of ${[...kinds].join(' and ')}: give them one by one`,
      rows[0]?.place,
    );
  }
  const measurements = rows.map(({ size, time, inPlace, place }) => measurement(size, time, inPlace, place));
  return { measurements, collective, date: undefined, notes: [] };
}

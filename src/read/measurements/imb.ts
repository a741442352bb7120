/**
 * Reads tables of the Intel MPI benchmarks (IMB-MPI1, IMB-NBC): `# Benchmarking Allreduce`, `# #processes = 4`, then sizes in bytes and times in µs.
 */
import type { CollectiveKind } from '../../ir/collective.ts';
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import { counted, type Seconds } from '../../ir/units.ts';
import { byteCountOf, linesOf, type TextLine, timeFromText } from './lines.ts';
import type { Measurement, MeasurementTable } from './measurement.ts';
import { countedOf, mpiCollective } from './mpi-collectives.ts';

const title = /^#\s*Benchmarking\s+(\S+)/i;
const processes = /^#\s*#processes\s*=\s*(\d+)/i;
const head = /^#bytes\s/i;

export function isImbTable(source: SourceText): boolean {
  const lines = linesOf(source);
  return lines.some(({ text }) => title.test(text)) && lines.some(({ text }) => head.test(text));
}

/**
 * Reads a file. IMB repeats a benchmark on 2, 4, 8 … processes; only the tables of the largest number are read. The time of a row is `t_max`, since a
 * collective is complete when its last rank is, and `t_pure` for non-blocking benchmarks.
 * @throws CccError 'unsupported' for a benchmark of anything but a collective, 'schema', 'unit' and 'range' for impossible rows
 */
export function readImbTable(source: SourceText): MeasurementTable {
  const rows: (Measurement & { readonly processes: number })[] = [];
  let collective: CollectiveKind | undefined;
  let ranks = 0;
  let column = -1;
  for (const line of linesOf(source)) {
    const named = title.exec(line.text);
    const many = processes.exec(line.text);
    if (named !== null) {
      const kind = mpiCollective(named[1], line.range);
      if (collective !== undefined && collective !== kind) {
        const message = `the file has tables of ${collective} and ${kind}: give them one by one`;
        throw new CccError('schema', message, line.range);
      }
      collective = kind;
      column = -1;
    } else if (many !== null) ranks = Number(many[1]);
    else if (head.test(line.text)) column = timeColumn(line);
    else if (collective !== undefined && column > 0 && /^\d/.test(line.text)) {
      const row = rowOf(line, column, collective);
      if (row !== undefined) rows.push({ ...row, processes: ranks });
    }
  }
  const most = rows.reduce((greatest, row) => Math.max(greatest, row.processes), 0);
  const others = rows.filter((row) => row.processes < most).length;
  return {
    measurements: rows.filter((row) => row.processes === most),
    collective,
    date: undefined,
    notes: others === 0 ? [] : [`${counted(others, 'row')} of fewer processes than ${most}`],
  };
}

/** Finds the column of times. Non-blocking benchmarks (IMB-NBC) have `t_pure`, the time of the collective alone, in place of `t_max`. */
function timeColumn({ words, range }: TextLine): number {
  const columnOf = (name: RegExp): number => words.findIndex(({ text }) => name.test(text));
  const index = columnOf(/^t_pure/i) === -1 ? columnOf(/^t_max/i) : columnOf(/^t_pure/i);
  if (index === -1) throw new CccError('schema', 'the table has no column t_max or t_pure', range);
  const unit = /\[(.*)\]/.exec(words[index].text)?.[1];
  if (unit === 'usec') return index;
  throw new CccError('unit', `the times of this table are in ${unit ?? 'no unit'}, not in usec`, range);
}

/** Reads a row. A row of 0 bytes is skipped: no data moves, and IMB may report a time of 0 for it. */
function rowOf({ words, range }: TextLine, column: number, collective: CollectiveKind): Measurement | undefined {
  if (words.length <= column) throw new CccError('schema', 'the row ends before its time', range);
  const size = byteCountOf(words[0], '#bytes');
  if (size === 0) return undefined;
  const seconds: Seconds = timeFromText(words[column], 'the time', 1e-6);
  const by = countedOf(collective);
  return { plan: undefined, protocol: undefined, size, counted: by, seconds, inPlace: undefined, place: range };
}

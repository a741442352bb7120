/** Reads tables of the OSU micro-benchmarks: a title such as `# OSU MPI Allreduce Latency Test`, then sizes in bytes and times in µs. */
import type { CollectiveKind } from '../../ir/collective.ts';
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import { byteCountOf, linesOf, type TextLine, timeFromText } from './lines.ts';
import type { Measurement, MeasurementTable } from './measurement.ts';
import { countedOf, mpiCollective } from './mpi-collectives.ts';

const title = /^#\s*OSU MPI\S*\s+(.+?)\s+Latency Test/i;

export function isOsuTable(source: SourceText): boolean {
  return linesOf(source).some(({ text }) => title.test(text));
}

/**
 * Reads a table. A collective is complete when its last rank is, so the maximum over the ranks is read if the table has it (option `-f`), else the
 * average.
 * @throws CccError 'unsupported' for a benchmark of anything but a collective, 'schema', 'unit' and 'range' for impossible rows
 */
export function readOsuTable(source: SourceText): MeasurementTable {
  const measurements: Measurement[] = [];
  let collective: CollectiveKind | undefined;
  let column = 1;
  for (const line of linesOf(source)) {
    const found = title.exec(line.text);
    if (found !== null) collective = sameAs(collective, mpiCollective(found[1], line.range), line);
    else if (/^#\s*Size\b/i.test(line.text)) column = timeColumn(line);
    else if (collective !== undefined && /^\d/.test(line.text)) measurements.push(rowOf(line, column, collective));
  }
  return { measurements, collective, date: undefined, notes: [] };
}

function sameAs(before: CollectiveKind | undefined, kind: CollectiveKind, { range }: TextLine): CollectiveKind {
  if (before === undefined || before === kind) return kind;
  throw new CccError('schema', `the file has tables of ${before} and ${kind}: give them one by one`, range);
}

/**
 * Finds the column of times in the head, which names `Size` and then columns with their units. For blocking collectives this is the maximum latency
 * of all ranks, or the average if that is missing. For non-blocking ones it is `Pure Comm.`, since `Overall` includes the computation that the
 * benchmark overlaps with the collective.
 */
function timeColumn({ text, range }: TextLine): number {
  const behindSize = text.replace(/^#\s*Size\s*(?:\([^)]*\))?/i, '');
  const columns = [...behindSize.matchAll(/([A-Za-z][\w. -]*?)\s*\(([^)]*)\)/g)];
  const preferred = [/^pure comm/i, /^max latency/i, /^(?:avg |average )?latency/i];
  const indices = preferred.map((name) => columns.findIndex((match) => name.test(match[1])));
  const index = indices.find((each) => each >= 0);
  if (index === undefined) {
    const expected = 'expected a column Latency (us), Max Latency (us) or Pure Comm.(us)';
    throw new CccError('schema', `${expected}, found '${text}'`, range);
  }
  const unit = columns[index][2];
  if (unit === 'us') return index + 1;
  throw new CccError('unit', `the times of this table are in ${unit}, not in us`, range);
}

function rowOf({ words, range }: TextLine, column: number, collective: CollectiveKind): Measurement {
  if (words.length <= column) throw new CccError('schema', 'the row ends before its time', range);
  const seconds = timeFromText(words[column], 'latency', 1e-6);
  const size = byteCountOf(words[0], 'size');
  const counted = countedOf(collective);
  return { plan: undefined, protocol: undefined, size, counted, seconds, inPlace: undefined, place: range };
}

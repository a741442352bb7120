/** Tables of the OSU micro-benchmarks: `# OSU MPI Allreduce Latency Test`, then sizes and times in µs. */
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
 * A call is over when its last rank is: where the table has the greatest time of all ranks (`-f`), that is read, else the average.
 * @throws CccError 'unsupported' for a benchmark of something else, 'schema', 'unit' and 'range' for rows that cannot be
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
 * The head of a table: `Size`, then columns with their units. Of blocking collectives the greatest latency of all ranks counts, or the average
 * where that is missing. Of non-blocking ones it is `Pure Comm.`: `Overall` holds the computation that is to overlap.
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

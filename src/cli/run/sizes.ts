/** Writes the table of `ccc run --sizes`: a row for each size, with the columns of nccl-tests. */
import type { Collective } from '../../ir/collective.ts';
import { type Dtype, dtypeBytes } from '../../ir/dtype.ts';
import { oneLine } from '../../ir/plain-text.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { ratesOf } from '../rates.ts';

/** The results for one size. */
export interface SizeRow {
  readonly collective: Collective;
  readonly dtype: Dtype;
  readonly size: Bytes;
  /** Times of all repetitions. */
  readonly seconds: readonly Seconds[];
  /** Number of ranks whose output is wrong or, under MPI, of wrong elements; undefined if the results were not checked. */
  readonly errors: number | undefined;
}

/** A column with the times of another runtime's own collective. */
export interface OtherTimes {
  /** Heading of the column, such as `MPI`. */
  readonly name: string;
  readonly seconds: readonly Seconds[];
}

/** Returns sizes of which each is twice the previous one, as nccl-tests does with `-f 2`; the end of the range is always included. */
export function doubledSizes([first, last]: readonly [Bytes, Bytes]): readonly Bytes[] {
  const sizes: Bytes[] = [];
  for (let size = first; size < last; size *= 2) sizes.push(size);
  return [...sizes, last];
}

const widths = { size: 12, count: 12, type: 6, time: 10, algbw: 9, busbw: 9, other: 10, errors: 8 } as const;

/** Writes what ran, and the headings of the columns with their units. */
export function headOf(plan: string, { kind, ranks }: Collective, other?: string): string {
  const words: readonly (readonly [keyof typeof widths, string, string])[] = [
    ['size', 'size', '(B)'],
    ['count', 'count', '(elements)'],
    ['type', 'type', ''],
    ['time', 'time', '(us)'],
    ['algbw', 'algbw', '(GB/s)'],
    ['busbw', 'busbw', '(GB/s)'],
    ...(other === undefined ? [] : [['other', other, '(us)'] as const]),
    ['errors', 'errors', ''],
  ];
  const line = (which: 1 | 2): string =>
    `#${words
      .map((word) => word[which].padStart(widths[word[0]]))
      .join('')
      .slice(1)}`;
  return `# ${oneLine(plan)}: ${kind} on ${ranks} ranks; the fastest run of each size\n${line(1)}\n${line(2)}\n`;
}

/** Writes a row of the table. */
export function rowText(row: SizeRow, other?: OtherTimes): string {
  const { size, dtype, errors } = row;
  const { algorithmBandwidth, busBandwidth } = ratesOf(row.collective, size, least(row.seconds));
  const cells = [
    String(size).padStart(widths.size),
    String(size / dtypeBytes[dtype]).padStart(widths.count),
    dtype.padStart(widths.type),
    (least(row.seconds) * 1e6).toFixed(2).padStart(widths.time),
    (algorithmBandwidth / 1e9).toFixed(3).padStart(widths.algbw),
    (busBandwidth / 1e9).toFixed(3).padStart(widths.busbw),
    ...(other === undefined ? [] : [(least(other.seconds) * 1e6).toFixed(2).padStart(widths.other)]),
    (errors === undefined ? 'N/A' : String(errors)).padStart(widths.errors),
  ];
  return `${cells.join('')}\n`;
}

/** Makes the row for `--json`, with every repetition. */
export function rowDocument(row: SizeRow, other?: OtherTimes): object {
  const { size, dtype, seconds, errors } = row;
  return {
    size,
    count: size / dtypeBytes[dtype],
    dtype,
    seconds: { min: least(seconds), all: seconds },
    ...ratesOf(row.collective, size, least(seconds)),
    ...(other === undefined
      ? {}
      : { [`${other.name.toLowerCase()}Seconds`]: { min: least(other.seconds), all: other.seconds } }),
    errors,
  };
}

function least(seconds: readonly Seconds[]): Seconds {
  return seconds.reduce((best, each) => Math.min(best, each), Number.POSITIVE_INFINITY);
}

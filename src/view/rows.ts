/** The rows of a timeline: one for each lane and each link that is used, with spans that do not overlap, or bins where spans are too many. */
import type { Plan } from '../ir/plan.ts';
import type { Timeline } from '../ir/report.ts';
import { floatColumn, intColumn } from './columns.ts';
import type { PageRow, PageTimeline } from './page-document.ts';

/** More spans than this are put in bins. */
export const mostSpans = 200_000;
/** Bins of all rows together. */
const mostBins = 4_000_000;
const binsPerRow = 1024;

/** What stands in one row: indices of a table of times, in any order. */
interface Row {
  readonly kind: PageRow['kind'];
  readonly index: number;
  readonly spans: readonly number[] | Int32Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** The instance of each span. */
  readonly instance: (span: number) => number;
}

const noTimeline: PageTimeline = {
  rows: [],
  start: floatColumn([]),
  end: floatColumn([]),
  instance: intColumn([]),
  binsPerRow: 0,
  bins: intColumn([]),
};

/** @param duration the whole time, of which each bin is a part */
export function rowsOf(plan: Plan, timeline: Timeline | undefined, duration: number): PageTimeline {
  if (timeline === undefined) return noTimeline;
  const rows = [...linkRows(timeline), ...laneRows(plan, timeline)];
  const spans = timeline.start.length + timeline.links.link.length;
  return spans > mostSpans ? binned(rows, duration) : spanned(rows, spans);
}

function* laneRows({ firstOp, ops }: Plan, { start, end, bulks }: Timeline): Iterable<Row> {
  const operations = ops.kind.length;
  for (let lane = 0; lane + 1 < firstOp.length; lane++) {
    const inOne = firstOp[lane + 1] - firstOp[lane];
    const spans = Int32Array.from({ length: inOne * bulks }, (_, at) => {
      return Math.floor(at / inOne) * operations + firstOp[lane] + (at % inOne);
    });
    yield { kind: 'lane', index: lane, spans, start, end, instance: (span) => span };
  }
}

function* linkRows({ links }: Timeline): Iterable<Row> {
  const byLink = new Map<number, number[]>();
  links.link.forEach((link, row) => {
    const known = byLink.get(link);
    if (known === undefined) byLink.set(link, [row]);
    else known.push(row);
  });
  for (const [index, spans] of [...byLink].sort(([a], [b]) => a - b)) {
    const { start, end } = links;
    yield { kind: 'link', index, spans, start, end, instance: (row) => links.instance[row] };
  }
}

function spanned(rows: readonly Row[], count: number): PageTimeline {
  const start = new Float64Array(count);
  const end = new Float64Array(count);
  const instance = new Int32Array(count);
  let at = 0;
  const placed = rows.map((row): PageRow => {
    const first: number[] = [];
    for (const part of partsOf(row)) {
      first.push(at);
      for (const span of part) {
        start[at] = row.start[span];
        end[at] = row.end[span];
        instance[at++] = row.instance(span);
      }
    }
    return { kind: row.kind, index: row.index, first: [...first, at] };
  });
  return {
    rows: placed,
    start: floatColumn(start),
    end: floatColumn(end),
    instance: intColumn(instance),
    binsPerRow: 0,
    bins: intColumn([]),
  };
}

/** Spans in parts in which none overlaps another: each goes to the first that is free. Never more than so many: the rest share the last. */
const mostParts = 4;

function partsOf({ spans, start, end }: Row): readonly (readonly number[])[] {
  const inOrder = [...spans].sort((a, b) => start[a] - start[b] || end[a] - end[b] || a - b);
  const parts: number[][] = [[]];
  const free = [0];
  for (const span of inOrder) {
    let part = free.findIndex((until) => until <= start[span]);
    if (part === -1 && parts.length < mostParts) part = parts.push([]) - 1;
    else if (part === -1) part = mostParts - 1;
    parts[part].push(span);
    free[part] = Math.max(free[part] ?? 0, end[span]);
  }
  return parts;
}

function binned(rows: readonly Row[], duration: number): PageTimeline {
  const perRow = Math.max(16, Math.min(binsPerRow, Math.floor(mostBins / Math.max(1, rows.length))));
  const bins = new Uint8Array(rows.length * perRow);
  rows.forEach((row, index) => {
    const busy = busyShares(row, perRow, duration);
    for (let bin = 0; bin < perRow; bin++) bins[index * perRow + bin] = Math.ceil(255 * Math.min(1, busy[bin]));
  });
  return {
    ...noTimeline,
    rows: rows.map(({ kind, index }) => ({ kind, index, first: [] })),
    binsPerRow: perRow,
    bins: intColumn(bins),
  };
}

/** By bin: for which part of it something was at work; 0 and 1 apart, time that overlaps counts twice. */
function busyShares({ spans, start, end }: Row, count: number, duration: number): Float64Array {
  const busy = new Float64Array(count);
  const width = duration / count;
  if (!(width > 0)) return busy;
  for (const span of spans) {
    const last = Math.min(count - 1, Math.floor(end[span] / width));
    for (let bin = Math.min(count - 1, Math.floor(start[span] / width)); bin <= last; bin++) {
      const within = Math.min(end[span], (bin + 1) * width) - Math.max(start[span], bin * width);
      busy[bin] += Math.max(0, within) / width;
    }
  }
  return busy;
}

/** The rows of a timeline: one for each lane and each used link, divided into tracks whose spans do not overlap. */
import type { Plan } from '../ir/plan.ts';
import type { Timeline } from '../ir/report.ts';
import { intColumn } from './columns.ts';
import { viewLimits } from './limits.ts';
import type { PageRow, PageTimeline } from './page-document.ts';

/** The spans of one row, as indices into a table of times, in any order. */
interface Row {
  readonly kind: PageRow['kind'];
  readonly index: number;
  readonly spans: readonly number[] | Int32Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** The instance of each span. */
  readonly instance: (span: number) => number;
}

/** @param tick the unit of times: each is a multiple of it, up to rounding */
export function timelineRowsOf(plan: Plan, timeline: Timeline | undefined, tick: number): PageTimeline {
  const none = intColumn([]);
  if (timeline === undefined) return { rows: [], tick, start: none, length: none, instance: none };
  const count = timeline.start.length + timeline.links.link.length;
  const start = new Float64Array(count);
  const length = new Float64Array(count);
  const instance = new Int32Array(count);
  let at = 0;
  const rows = [...linkRows(timeline), ...laneRows(plan, timeline)].map((row): PageRow => {
    const first: number[] = [];
    for (const part of partsOf(row)) {
      first.push(at);
      let [lastStart, lastInstance] = [0, 0];
      for (const span of part) {
        const [begin, own] = [Math.round(row.start[span] / tick), row.instance(span)];
        start[at] = begin - lastStart;
        length[at] = Math.round(row.end[span] / tick) - begin;
        instance[at++] = own - lastInstance;
        [lastStart, lastInstance] = [begin, own];
      }
    }
    return { kind: row.kind, index: row.index, first: [...first, at] };
  });
  return { rows, tick, start: intColumn(start), length: intColumn(length), instance: intColumn(instance) };
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

function partsOf({ spans, start, end }: Row): readonly (readonly number[])[] {
  const inOrder = [...spans].sort((a, b) => start[a] - start[b] || end[a] - end[b] || a - b);
  const parts: number[][] = [[]];
  const free = [0];
  for (const span of inOrder) {
    let part = free.findIndex((until) => until <= start[span]);
    if (part === -1 && parts.length < viewLimits.parts) part = parts.push([]) - 1;
    else if (part === -1) part = viewLimits.parts - 1;
    parts[part].push(span);
    free[part] = Math.max(free[part] ?? 0, end[span]);
  }
  return parts;
}

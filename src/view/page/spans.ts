/** The spans of the timeline's rows, with prefix sums for the share of busy time between two instants. */
import type { PageTimeline } from '../page-document.ts';
import { columnOf, firstAbove, type NumberColumn } from './columns.ts';

export interface Spans {
  readonly start: NumberColumn;
  readonly end: NumberColumn;
  readonly instance: NumberColumn;
  /** Prefix sums: the total duration of all spans before each. */
  readonly work: Float64Array;
}

export function timelineSpansOf({ rows, tick, ...columns }: PageTimeline): Spans {
  const [steps, lengths, changes] = [columnOf(columns.start), columnOf(columns.length), columnOf(columns.instance)];
  const start = new Float64Array(steps.length);
  const end = new Float64Array(steps.length);
  const instance = new Int32Array(steps.length);
  for (const { first } of rows) {
    for (let part = 0; part + 1 < first.length; part++) {
      let [ticks, own] = [0, 0];
      for (let at = first[part]; at < first[part + 1]; at++) {
        ticks += steps[at];
        own += changes[at];
        start[at] = ticks * tick;
        end[at] = (ticks + lengths[at]) * tick;
        instance[at] = own;
      }
    }
  }
  return withWork({ start, end, instance });
}

export function withWork(spans: Omit<Spans, 'work'>): Spans {
  const work = new Float64Array(spans.start.length);
  for (let at = 1; at < work.length; at++) work[at] = work[at - 1] + spans.end[at - 1] - spans.start[at - 1];
  return { ...spans, work };
}

/** The share of the time between two instants, from 0 to 1, in which one of the spans `first … last − 1` of a track runs. */
export function busyShare(spans: Spans, first: number, last: number, from: number, to: number): number {
  if (first >= last || !(to > from)) return 0;
  const until = (time: number): number => {
    const at = firstAbove(spans.start, time, first, last) - 1;
    return at < first ? 0 : spans.work[at] - spans.work[first] + Math.min(time, spans.end[at]) - spans.start[at];
  };
  return Math.min(1, (until(to) - until(from)) / (to - from));
}

/** The spans `first … last − 1` of a track that overlap a window. */
export function countWithin({ start }: Spans, first: number, last: number, from: number, to: number): number {
  return firstAbove(start, to, first, last) - Math.max(first, firstAbove(start, from, first, last) - 1);
}

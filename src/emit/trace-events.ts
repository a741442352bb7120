/**
 * Chrome's trace format, which Perfetto and chrome://tracing open: a JSON array of complete events, with processes and threads
 * that have names. Whatever happened over time can be written with it, simulated or measured.
 */
import { jsonText } from '../ir/plain-text.ts';
import type { Seconds } from '../ir/units.ts';

/** Something that took time. */
export interface TraceSpan {
  readonly name: string;
  readonly start: Seconds;
  readonly end: Seconds;
  /** Shown when the event is chosen. */
  readonly details: Readonly<Record<string, string | number>>;
}

/** A row of the picture, or several where spans overlap. */
export interface Track {
  /** Tracks of equal process stand together. */
  readonly process: string;
  readonly thread: string;
  /** In any order. */
  readonly spans: readonly TraceSpan[];
}

/** Events that are written in one piece. */
const mostAtOnce = 4096;

/** Where a track's events go. */
interface Place {
  readonly process: number;
  readonly thread: number;
}

/** The document, one event per line; times are whole nanoseconds, which is what viewers keep. */
export function* traceText(tracks: Iterable<Track>): Iterable<string> {
  const processes = new Map<string, number>();
  const threads: number[] = [];
  let separator = '[\n';
  for (const { process, thread, spans } of tracks) {
    let pid = processes.get(process);
    if (pid === undefined) {
      pid = processes.size;
      processes.set(process, pid);
      threads.push(0);
      yield separator + namesOf('process', process, { process: pid, thread: 0 }, pid);
      separator = ',\n';
    }
    for (const [row, events] of rowsOf(spans).entries()) {
      const tid = threads[pid]++;
      const name = row === 0 ? thread : `${thread} (${row + 1})`;
      const place = { process: pid, thread: tid };
      yield separator + namesOf('thread', name, place, tid);
      for (let first = 0; first < events.length; first += mostAtOnce) {
        const lines = events.slice(first, first + mostAtOnce).map((event) => separator + eventText(event, place));
        yield lines.join('');
      }
    }
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

/** A span in nanoseconds. */
interface Event {
  readonly span: TraceSpan;
  readonly start: number;
  readonly end: number;
}

/** Spans in rows in which none overlaps another: each goes to the first row that is free. */
function rowsOf(spans: readonly TraceSpan[]): readonly (readonly Event[])[] {
  const events = spans.map((span) => ({ span, start: nanoseconds(span.start), end: nanoseconds(span.end) }));
  events.sort((a, b) => a.start - b.start || a.end - b.end);
  const rows: Event[][] = [[]];
  for (const event of events) {
    const row = rows.find((others) => (others.at(-1)?.end ?? 0) <= event.start);
    if (row === undefined) rows.push([event]);
    else row.push(event);
  }
  return rows;
}

function nanoseconds(time: Seconds): number {
  return Math.round(time * 1e9);
}

/** The name of a process or thread, and where it stands. */
function namesOf(what: 'process' | 'thread', name: string, { process, thread }: Place, order: number): string {
  const place = { ph: 'M', pid: process, tid: thread };
  const named = { name: `${what}_name`, ...place, args: { name } };
  const sorted = { name: `${what}_sort_index`, ...place, args: { sort_index: order } };
  return `${jsonText(named)},\n${jsonText(sorted)}`;
}

/** Times of the format are in microseconds. */
function eventText({ span, start, end }: Event, { process, thread }: Place): string {
  const when = { ts: start / 1000, dur: (end - start) / 1000 };
  return JSON.stringify({ name: span.name, ph: 'X', ...when, pid: process, tid: thread, args: span.details });
}

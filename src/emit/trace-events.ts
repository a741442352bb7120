/**
 * Chrome's trace format, which Perfetto and chrome://tracing open: a JSON array of complete events, with named processes and threads. It serves for
 * simulated and for measured runs.
 */
import { jsonText } from '../ir/plain-text.ts';
import type { Seconds } from '../ir/units.ts';

/** An interval of time with a name. */
export interface TraceSpan {
  readonly name: string;
  readonly start: Seconds;
  readonly end: Seconds;
  /** Shown when the user selects the event. */
  readonly details: Readonly<Record<string, string | number>>;
}

/** A row of the display, or several rows if spans overlap. */
export interface Track {
  /** Tracks with the same process are displayed together. */
  readonly process: string;
  readonly thread: string;
  /** In any order. */
  readonly spans: readonly TraceSpan[];
}

/** Number of events in a piece of the text. */
const mostAtOnce = 4096;

/** The process and thread of a track's events. */
interface Place {
  readonly process: number;
  readonly thread: number;
}

/** The document, with one event per line. Times are rounded to whole nanoseconds, which is the precision of viewers. */
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

/** Distributes spans to rows without overlap: each goes to the first row that is free. */
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

/** The metadata events that name a process or thread, and give its position. */
function namesOf(what: 'process' | 'thread', name: string, { process, thread }: Place, order: number): string {
  const place = { ph: 'M', pid: process, tid: thread };
  const named = { name: `${what}_name`, ...place, args: { name } };
  const sorted = { name: `${what}_sort_index`, ...place, args: { sort_index: order } };
  return `${jsonText(named)},\n${jsonText(sorted)}`;
}

/** The format has times in microseconds. */
function eventText({ span, start, end }: Event, { process, thread }: Place): string {
  const when = { ts: start / 1000, dur: (end - start) / 1000 };
  return JSON.stringify({ name: span.name, ph: 'X', ...when, pid: process, tid: thread, args: span.details });
}

/** What one rank reads and writes in one step, and what of it must be read ahead of the step's writes. */
import type { CellMove, CellRun } from '../memory/runs.ts';

/** A message that leaves. */
export interface Departure {
  readonly transfer: number;
  readonly lane: number;
  /** Its place among the step's messages of its connection, from 0. */
  readonly nth: number;
  readonly runs: readonly CellRun[];
}

/** A message that arrives. */
export interface Arrival {
  readonly kind: 'arrival';
  readonly transfer: number;
  readonly lane: number;
  readonly nth: number;
  readonly reduces: boolean;
  readonly runs: readonly CellRun[];
}

/** A part of a local transfer. */
export interface LocalMove {
  readonly kind: 'local';
  readonly transfer: number;
  readonly lane: number;
  readonly reduces: boolean;
  readonly move: CellMove;
  /** Where it stands for computing. */
  readonly nanoseconds?: number | undefined;
}

/** What is written in a step, as listed. */
export type StepWrite = Arrival | LocalMove;

function eachCell(runs: readonly CellRun[], visit: (cell: number) => void): void {
  for (const { first, count } of runs) for (let cell = first; cell < first + count; cell++) visit(cell);
}

function targetOf(move: CellMove): readonly CellRun[] {
  return [{ first: move.to, count: move.count }];
}

/**
 * Departures that must be read ahead because something that is written sooner would have to wait for them.
 * @param chained receives may wait for each other across connections in this step
 */
export function departuresToSnapshot(
  departures: readonly Departure[],
  writes: readonly StepWrite[],
  chained: boolean,
): ReadonlySet<Departure> {
  const later = departures.filter((departure) => departure.nth > 0);
  if (later.length === 0) return new Set();
  const soonest = new Map<number, number>();
  for (const write of writes) {
    const nth = chained || write.kind === 'local' ? 0 : write.nth;
    const runs = write.kind === 'local' ? targetOf(write.move) : write.runs;
    eachCell(runs, (cell) => soonest.set(cell, Math.min(nth, soonest.get(cell) ?? nth)));
  }
  const overtaken = ({ runs, nth }: Departure): boolean => {
    let found = false;
    eachCell(runs, (cell) => {
      if ((soonest.get(cell) ?? nth) < nth) found = true;
    });
    return found;
  };
  return new Set(later.filter(overtaken));
}

/** Some local reduction is listed behind a received one into the same place, so it cannot run before the receives. */
export function localsFollowArrivals(writes: readonly StepWrite[]): boolean {
  const received = new Set<number>();
  return writes.some((write) => {
    if (!write.reduces) return false;
    if (write.kind === 'arrival') {
      eachCell(write.runs, (cell) => received.add(cell));
      return false;
    }
    let follows = false;
    eachCell(targetOf(write.move), (cell) => {
      if (received.has(cell)) follows = true;
    });
    return follows;
  });
}

/** Local moves whose source an earlier one of the step, or they themselves, overwrite. */
export function localsToSnapshot(writes: readonly StepWrite[]): ReadonlySet<StepWrite> {
  const overwritten = new Set<number>();
  const result = new Set<StepWrite>();
  for (const write of writes) {
    if (write.kind !== 'local') continue;
    eachCell(targetOf(write.move), (cell) => overwritten.add(cell));
    eachCell([{ first: write.move.from, count: write.move.count }], (cell) => {
      if (overwritten.has(cell)) result.add(write);
    });
  }
  return result;
}

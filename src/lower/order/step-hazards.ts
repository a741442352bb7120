/** The reads and writes of one rank in one step, and which of them conflict, so that data must be copied before the step writes. */
import type { CellMove, CellRun } from '../memory/runs.ts';

/** The end of a message that the rank sends. */
export interface Departure {
  readonly transfer: number;
  readonly lane: number;
  /** Its index among the messages of its connection in the step, from 0. */
  readonly nth: number;
  readonly runs: readonly CellRun[];
}

/** The end of a message that the rank receives. */
export interface Arrival {
  readonly kind: 'arrival';
  readonly transfer: number;
  readonly lane: number;
  readonly nth: number;
  readonly reduces: boolean;
  readonly runs: readonly CellRun[];
}

/** A contiguous part of a local transfer. */
export interface LocalMove {
  readonly kind: 'local';
  readonly transfer: number;
  readonly lane: number;
  readonly reduces: boolean;
  readonly move: CellMove;
  /** Set if it represents computation: its duration. */
  readonly nanoseconds?: number | undefined;
}

/** A write of a step, in the order of the schedule. */
export type StepWrite = Arrival | LocalMove;

function eachCell(runs: readonly CellRun[], visit: (cell: number) => void): void {
  for (const { first, count } of runs) for (let cell = first; cell < first + count; cell++) visit(cell);
}

function targetOf(move: CellMove): readonly CellRun[] {
  return [{ first: move.to, count: move.count }];
}

/**
 * The sends that must read a snapshot, because a write that may have to run before them overwrites their source.
 * @param chained whether receives may wait for each other across connections in this step
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

/** Whether a local reduction follows a received one into the same cell in the order of the schedule, so that it cannot run before the receives. */
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

/** The local moves whose source is overwritten by an earlier local move of the step, or by themselves; they must read a snapshot. */
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

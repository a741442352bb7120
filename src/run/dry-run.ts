/**
 * Runs a plan without data, to find out whether it terminates and which messages have to be copied when they are sent. Operations do not compete and
 * nothing is chosen, so that whether the plan can run does not depend on timing and one run decides. Copying more messages only removes waits.
 */
import { CccError } from '../ir/diagnostic.ts';
import { operationKinds } from '../ir/plan.ts';
import { runs } from './limits.ts';
import { type Actions, newCounters, type Obstacle, Progress } from './progress.ts';
import type { RunTables } from './tables.ts';

const nothing: Actions = { copy: () => {}, reduce: () => {}, send: () => {}, receive: () => {}, moved: () => {} };

/**
 * Finds the sends that must be staged: their source is overwritten by an operation that must run before the message can be received.
 * @param inflight messages that a connection buffers; undefined for any number
 * @returns 1 for each staged send, by operation
 * @throws CccError 'unproved' for a plan that deadlocks whatever is copied
 */
export function stagedSends(tables: RunTables, inflight: number | undefined): Uint8Array {
  const staged = new Uint8Array(tables.kind.length);
  const counters = newCounters(tables, (bytes) => new ArrayBuffer(bytes));
  const progress = new Progress(tables, counters, inflight, staged);
  let lanes = Array.from({ length: tables.firstOp.length - 1 }, (_, lane) => lane);
  for (;;) {
    let moved = false;
    for (const lane of lanes) if (progress.advance(lane, nothing)) moved = true;
    lanes = lanes.filter((lane) => !progress.isFinished(lane));
    if (lanes.length === 0) return staged;
    if (!moved && !stageOne(progress, lanes, staged)) throw blocked(tables, progress, lanes);
  }
}

/** Stages the first message that an overwriting operation waits for. Returns false if there is none. */
function stageOne(progress: Progress, lanes: readonly number[], staged: Uint8Array): boolean {
  for (const lane of lanes) {
    const { operation, bulk } = progress.head(lane);
    if (progress.obstacle(operation, bulk) !== 'unread') continue;
    staged[progress.waitedFor] = 1;
    return true;
  }
  return false;
}

/** The error for a plan whose lanes all wait, with the reasons of the first few of them. */
export function blocked(tables: RunTables, progress: Progress, lanes: readonly number[]): CccError {
  const waits = lanes.slice(0, runs.lanesShown).map((lane) => {
    const { operation, bulk } = progress.head(lane);
    return `${nameOf(tables, operation)} (bulk ${bulk}) ${reason(tables, progress.obstacle(operation, bulk), progress.waitedFor)}`;
  });
  const others = lanes.length > runs.lanesShown ? `; and ${lanes.length - runs.lanesShown} lanes more` : '';
  return new CccError('unproved', `the plan blocks: ${waits.join('; ')}${others}`);
}

function reason(tables: RunTables, obstacle: Obstacle, waitedFor: number): string {
  switch (obstacle) {
    case 'none':
      return 'waits until its message is taken';
    case 'after':
      return `waits for ${nameOf(tables, waitedFor)}`;
    case 'message':
      return `waits for the message of ${nameOf(tables, waitedFor)}`;
    case 'room':
      return 'waits for room on its channel';
    case 'unread':
      return `would overwrite what ${nameOf(tables, waitedFor)} sends`;
  }
}

function nameOf(tables: RunTables, operation: number): string {
  const lane = tables.laneOf[operation];
  const rank = tables.rankOf[operation];
  const place = `rank ${rank}, lane ${lane - tables.firstLane[rank]}, op ${operation - tables.firstOp[lane]}`;
  return `${operationKinds[tables.kind[operation]]} at ${place}`;
}

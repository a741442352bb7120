/** Shipped schedules made into schedules and plans, as the tests of the library need them. */

import { defaultLimits } from '../../src/ir/limits.ts';
import type { Plan } from '../../src/ir/plan.ts';
import type { Schedule, Transfer } from '../../src/ir/schedule.ts';
import { lower } from '../../src/lower/index.ts';
import { fitness, instantiate, loadScheduleFile, type ScheduleRequest } from '../../src/read/index.ts';

/** A request for `ranks` ranks, root 0, sum in any order, out of place, unless said otherwise. */
export function request(ranks: number, changes: Partial<ScheduleRequest> = {}): ScheduleRequest {
  return {
    ranks,
    root: 0,
    op: 'sum',
    ordered: false,
    inPlace: false,
    parameters: {},
    limits: defaultLimits,
    ...changes,
  };
}

/** Whether a shipped schedule claims to work for a request. */
export function claims(name: string, ranks: number, changes: Partial<ScheduleRequest> = {}): boolean {
  return fitness(loadScheduleFile(name), request(ranks, changes)).fits;
}

/** A shipped schedule, expanded. */
export function scheduleOf(name: string, ranks: number, changes: Partial<ScheduleRequest> = {}): Schedule {
  return instantiate(loadScheduleFile(name), request(ranks, changes));
}

/** A shipped schedule, lowered. */
export function planOf(name: string, ranks: number, changes: Partial<ScheduleRequest> = {}): Plan {
  return lower(scheduleOf(name, ranks, changes));
}

/** What a message is, for traces and counts. */
export interface Message {
  readonly from: number;
  readonly to: number;
  /** First chunk of each piece as the sender numbers it, and how many chunks in all. */
  readonly first: readonly number[];
  readonly chunks: number;
}

/** The messages of each step; local operations are left out, and steps that have nothing else. */
export function messagesOf(schedule: Schedule): Message[][] {
  const steps = Array.from({ length: schedule.steps.stepCount }, (_, step) =>
    schedule.steps
      .inStep(step)
      .filter((transfer) => transfer.source !== transfer.destination)
      .map(messageOf),
  );
  return steps.filter((step) => step.length > 0);
}

function messageOf({ source, destination, pieces }: Transfer): Message {
  return {
    from: source,
    to: destination,
    first: pieces.map((piece) => piece.fromOffset),
    chunks: pieces.reduce((sum, piece) => sum + piece.count, 0),
  };
}

/** `1→0 3→2`: who sends to whom in a step, in order of the sender. */
export function pairsOf(step: readonly Message[]): string {
  return [...step]
    .sort((a, b) => a.from - b.from || a.to - b.to)
    .map(({ from, to }) => `${from}→${to}`)
    .join(' ');
}

/** Chunks that all messages carry together. */
export function chunksMoved(schedule: Schedule): number {
  return messagesOf(schedule)
    .flat()
    .reduce((sum, message) => sum + message.chunks, 0);
}

/** The pieces of a transfer as ranges of one side's buffers. */

import { inputChunks, outputChunks } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { dataWindow, type Schedule, type Steps, scheduleBuffers } from '../ir/schedule.ts';

/** Codes of the schedule's buffers, as `scheduleBuffers` numbers them. */
export const BufferCode = { data: 0, input: 1, output: 2, scratch: 3 } as const;

/** Contiguous chunks of one buffer of a schedule. */
export interface Range {
  /** A `BufferCode`. */
  readonly buffer: number;
  readonly offset: number;
  readonly count: number;
}

/** What a transfer reads (at its source), adjacent pieces joined. */
export function readRanges(steps: Steps, transfer: number): Range[] {
  return joined(steps, transfer, steps.from, steps.fromOffset);
}

/** What a transfer writes (at its destination), adjacent pieces joined. */
export function writeRanges(steps: Steps, transfer: number): Range[] {
  return joined(steps, transfer, steps.to, steps.toOffset);
}

function joined(steps: Steps, transfer: number, buffers: Int32Array, offsets: Int32Array): Range[] {
  const ranges: Range[] = [];
  for (let p = steps.pieceStart[transfer]; p < steps.pieceStart[transfer + 1]; p++) {
    const last = ranges.at(-1);
    const count = steps.count[p];
    if (last !== undefined && last.buffer === buffers[p] && last.offset + last.count === offsets[p]) {
      ranges[ranges.length - 1] = { ...last, count: last.count + count };
    } else {
      ranges.push({ buffer: buffers[p], offset: offsets[p], count });
    }
  }
  return ranges;
}

/**
 * Holds the transfers of a schedule to the ranks and buffers there are; everything after this relies on it.
 * @throws CccError 'schedule'
 */
export function checkRanges(schedule: Schedule): void {
  const { steps, collective } = schedule;
  const sizes = Array.from({ length: collective.ranks }, (_, rank) => [
    dataWindow(collective, rank).size,
    inputChunks(collective, rank),
    outputChunks(collective, rank),
    schedule.scratch,
  ]);
  const fail = (transfer: number, message: string): never => {
    throw new CccError('schedule', `${schedule.name} ${message}`, steps.origins[steps.origin[transfer]]);
  };
  const check = (transfer: number, piece: number, rank: number, buffer: number, offset: number): void => {
    const count = steps.count[piece];
    if (!(rank >= 0 && rank < collective.ranks)) {
      fail(transfer, `has a transfer of rank ${rank}; ranks are 0 to ${collective.ranks - 1}`);
    }
    const size = sizes[rank][buffer];
    if (offset >= 0 && count >= 1 && offset + count <= size) return;
    const asked = `${count} chunks from chunk ${offset} of ${scheduleBuffers[buffer]}`;
    fail(transfer, `moves ${asked} on rank ${rank}, which has ${size} chunks there`);
  };
  for (let t = 0; t < steps.transferCount; t++) {
    for (let p = steps.pieceStart[t]; p < steps.pieceStart[t + 1]; p++) {
      check(t, p, steps.source[t], steps.from[p], steps.fromOffset[p]);
      check(t, p, steps.destination[t], steps.to[p], steps.toOffset[p]);
    }
  }
}

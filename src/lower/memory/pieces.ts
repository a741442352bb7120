/** Coalesces the pieces of transfers to contiguous ranges of buffers, on one side at a time. */

import { inputChunks, outputChunks } from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import { dataWindow, type Schedule, type Steps, scheduleBuffers } from '../../ir/schedule.ts';
import { counted } from '../../ir/units.ts';

/** Codes of the schedule's buffers, as `scheduleBuffers` numbers them. */
export const BufferCode = { data: 0, input: 1, output: 2, scratch: 3 } as const;

/**
 * The ranges that transfers read, or those that they write: contiguous chunks, with adjacent pieces of a transfer coalesced. Transfer t has the
 * ranges `first[t] … first[t + 1] − 1`.
 */
export interface Ranges {
  readonly first: Int32Array;
  /** A `BufferCode` each. */
  readonly buffer: Int32Array;
  readonly offset: Int32Array;
  readonly count: Int32Array;
}

/** The ranges that each transfer reads at its source. @param shard chunks per shard: no range of `data` extends across a multiple of it */
export function readRanges(steps: Steps, shard: number): Ranges {
  return joined(steps, steps.from, steps.fromOffset, shard);
}

/** The ranges that each transfer writes at its destination. @param shard as for `readRanges` */
export function writeRanges(steps: Steps, shard: number): Ranges {
  return joined(steps, steps.to, steps.toOffset, shard);
}

function joined(
  { pieceStart, transferCount, count: pieceCount }: Steps,
  from: Int32Array,
  at: Int32Array,
  shard: number,
): Ranges {
  const first = new Int32Array(transferCount + 1);
  const [buffer, offset, count] = [from.slice(), at.slice(), pieceCount.slice()];
  let last = -1;
  for (let t = 0; t < transferCount; t++) {
    first[t] = last + 1;
    for (let p = pieceStart[t]; p < pieceStart[t + 1]; p++) {
      const follows = last >= first[t] && buffer[last] === from[p] && offset[last] + count[last] === at[p];
      if (follows && !(from[p] === BufferCode.data && at[p] % shard === 0)) {
        count[last] += pieceCount[p];
        continue;
      }
      last++;
      buffer[last] = from[p];
      offset[last] = at[p];
      count[last] = pieceCount[p];
    }
  }
  first[transferCount] = last + 1;
  return { first, buffer, offset, count };
}

/**
 * Checks that transfers stay within the ranks and buffers that exist, which all later passes rely on.
 * @throws CccError 'schedule' for the first transfer that does not
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
    const asked = `${counted(count, 'chunk')} from chunk ${offset} of ${scheduleBuffers[buffer]}`;
    fail(transfer, `moves ${asked} on rank ${rank}, which has ${counted(size, 'chunk')} there`);
  };
  for (let t = 0; t < steps.transferCount; t++) {
    for (let p = steps.pieceStart[t]; p < steps.pieceStart[t + 1]; p++) {
      check(t, p, steps.source[t], steps.from[p], steps.fromOffset[p]);
      check(t, p, steps.destination[t], steps.to[p], steps.toOffset[p]);
    }
  }
}

/** Surveys how the transfers of one rank use its buffers: these facts decide where `data` lives. */

import { memoryLayout } from '../../ir/collective.ts';
import { never } from '../../ir/none.ts';
import { dataWindow } from '../../ir/schedule.ts';
import type { ScheduleFacts } from '../schedule-facts.ts';
import { BufferCode } from './pieces.ts';

export interface DataUse {
  /** For each data slot the step in which it is first written, or `never`. */
  readonly firstWrite: Int32Array;
  /** By data slot, 1 if a reduction is among its first writes. */
  readonly firstReduces: Uint8Array;
  /** Whether a range is written that lies partly inside and partly outside the output window. */
  readonly straddles: boolean;
  /**
   * In place only: whether the schedule reads `input` after it has written the data slot that would share its memory. Then `data` needs memory of its
   * own, as it does out of place.
   */
  readonly readsInputLate: boolean;
  /** By output chunk, 1 if the schedule writes it under the name `output` rather than `data`. */
  readonly outputWritten: Uint8Array;
  /** Chunks of the schedule's own scratch that the rank uses. */
  readonly scratch: number;
}

/** Visits the transfers of a rank once for writes and once for reads. */
export function surveyUse(
  { schedule, stepOf, reads, writes }: ScheduleFacts,
  rank: number,
  transfers: Int32Array,
): DataUse {
  const { steps, collective } = schedule;
  const window = dataWindow(collective, rank);
  const firstWrite = new Int32Array(window.size).fill(never);
  const firstReduces = new Uint8Array(window.size);
  const outputWritten = new Uint8Array(window.size === 0 ? 0 : window.outputCount);
  let straddles = false;
  let scratch = 0;
  for (const t of transfers) {
    if (steps.destination[t] !== rank) continue;
    const step = stepOf[t];
    const reduces = steps.isReduce(t);
    for (let r = writes.first[t]; r < writes.first[t + 1]; r++) {
      const offset = writes.offset[r];
      const end = offset + writes.count[r];
      if (writes.buffer[r] === BufferCode.scratch) scratch = Math.max(scratch, end);
      if (writes.buffer[r] === BufferCode.output) outputWritten.fill(1, offset, end);
      if (writes.buffer[r] !== BufferCode.data) continue;
      const inside = Math.min(end, window.output + window.outputCount) - Math.max(offset, window.output);
      if (inside > 0 && inside < end - offset) straddles = true;
      for (let slot = offset; slot < end; slot++) {
        if (step < firstWrite[slot]) firstWrite[slot] = step;
        if (reduces && step === firstWrite[slot]) firstReduces[slot] = 1;
      }
    }
  }
  const layout = memoryLayout(collective, rank);
  const shift = window.input >= 0 ? window.input : layout.input - layout.output + window.output;
  let readsInputLate = false;
  for (const t of transfers) {
    if (steps.source[t] !== rank) continue;
    for (let r = reads.first[t]; r < reads.first[t + 1]; r++) {
      const offset = reads.offset[r];
      const end = offset + reads.count[r];
      if (reads.buffer[r] === BufferCode.scratch) scratch = Math.max(scratch, end);
      if (reads.buffer[r] !== BufferCode.input || !collective.inPlace || window.size === 0) continue;
      const slots = firstWrite.subarray(offset + shift, end + shift);
      if (slots.some((step) => step < stepOf[t])) readsInputLate = true;
    }
  }
  return { firstWrite, firstReduces, straddles, readsInputLate, outputWritten, scratch };
}

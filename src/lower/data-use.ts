/** What the transfers of one rank do with its buffers: the facts that decide where `data` lives. */
import { memoryLayout } from '../ir/collective.ts';
import { dataWindow, type Schedule } from '../ir/schedule.ts';
import { BufferCode, type Range, readRanges, writeRanges } from './pieces.ts';

/** The step of the first write of a slot that is never written. */
export const never = 2 ** 31 - 1;

export interface DataUse {
  /** For each data slot the step in which it is first written, or `never`. */
  readonly firstWrite: Int32Array;
  /** 1 where a reduction is among the first writes of a data slot. */
  readonly firstReduces: Uint8Array;
  /** Some range is written that lies partly inside and partly outside the output window. */
  readonly straddles: boolean;
  /**
   * In place only: the schedule reads `input` after it wrote the data slot that would share its memory. Then `data` needs
   * memory of its own, as it has out of place.
   */
  readonly readsInputLate: boolean;
  /** 1 for each output chunk that the schedule writes by the name of `output`. */
  readonly outputWritten: Uint8Array;
  /** Chunks of the schedule's own scratch that the rank uses. */
  readonly scratch: number;
}

/** Goes over a rank's transfers once for the writes and once for the reads of `input`. */
export function surveyUse(schedule: Schedule, rank: number, transfers: Int32Array, stepOf: Int32Array): DataUse {
  const { steps, collective } = schedule;
  const window = dataWindow(collective, rank);
  const firstWrite = new Int32Array(window.size).fill(never);
  const firstReduces = new Uint8Array(window.size);
  const outputWritten = new Uint8Array(window.size === 0 ? 0 : window.outputCount);
  let straddles = false;
  let scratch = 0;
  const noteWrite = (range: Range, step: number, reduces: boolean): void => {
    const end = range.offset + range.count;
    if (range.buffer === BufferCode.scratch) scratch = Math.max(scratch, end);
    if (range.buffer === BufferCode.output) outputWritten.fill(1, range.offset, end);
    if (range.buffer !== BufferCode.data) return;
    const inside = Math.min(end, window.output + window.outputCount) - Math.max(range.offset, window.output);
    if (inside > 0 && inside < range.count) straddles = true;
    for (let slot = range.offset; slot < end; slot++) {
      if (step < firstWrite[slot]) firstWrite[slot] = step;
      if (reduces && step === firstWrite[slot]) firstReduces[slot] = 1;
    }
  };
  for (const t of transfers) {
    if (steps.destination[t] !== rank) continue;
    for (const range of writeRanges(steps, t)) noteWrite(range, stepOf[t], steps.isReduce(t));
  }
  const layout = memoryLayout(collective, rank);
  const shift = window.input >= 0 ? window.input : layout.input - layout.output + window.output;
  let readsInputLate = false;
  for (const t of transfers) {
    if (steps.source[t] !== rank) continue;
    for (const { buffer, offset, count } of readRanges(steps, t)) {
      if (buffer === BufferCode.scratch) scratch = Math.max(scratch, offset + count);
      if (buffer !== BufferCode.input || !collective.inPlace || window.size === 0) continue;
      const slots = firstWrite.subarray(offset + shift, offset + shift + count);
      if (slots.some((step) => step < stepOf[t])) readsInputLate = true;
    }
  }
  return { firstWrite, firstReduces, straddles, readsInputLate, outputWritten, scratch };
}

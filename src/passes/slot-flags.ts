/** One flag for every slot of a schedule: `[rank][buffer][offset]`. */
import { type Collective, inputChunks, outputChunks } from '../ir/collective.ts';
import { dataWindow, type ScheduleBuffer } from '../ir/schedule.ts';

export class SlotFlags {
  private readonly flags: readonly Readonly<Record<ScheduleBuffer, Uint8Array>>[];

  /** Creates flags that are all clear. */
  constructor(collective: Collective, scratch: number) {
    this.flags = Array.from({ length: collective.ranks }, (_, rank) => ({
      data: new Uint8Array(dataWindow(collective, rank).size),
      input: new Uint8Array(inputChunks(collective, rank)),
      output: new Uint8Array(outputChunks(collective, rank)),
      scratch: new Uint8Array(scratch),
    }));
  }

  has(rank: number, buffer: ScheduleBuffer, slot: number): boolean {
    return this.flags[rank][buffer][slot] === 1;
  }

  set(rank: number, buffer: ScheduleBuffer, offset: number, count: number, up: boolean): void {
    this.flags[rank][buffer].fill(up ? 1 : 0, offset, offset + count);
  }

  any(rank: number, buffer: ScheduleBuffer, offset: number, count: number): boolean {
    return this.isAmong(1, this.flags[rank][buffer], offset, count);
  }

  all(rank: number, buffer: ScheduleBuffer, offset: number, count: number): boolean {
    return !this.isAmong(0, this.flags[rank][buffer], offset, count);
  }

  /** A copy of the flags of some slots; 1 for a flag that is set. */
  copy(rank: number, buffer: ScheduleBuffer, offset: number, count: number): Uint8Array {
    return this.flags[rank][buffer].slice(offset, offset + count);
  }

  /** Tests single chunks directly: most pieces have one chunk, and creating a view of it would take longer. */
  private isAmong(value: number, flags: Uint8Array, offset: number, count: number): boolean {
    return count === 1 ? flags[offset] === value : flags.subarray(offset, offset + count).includes(value);
  }
}

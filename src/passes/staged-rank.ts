/** The slots of scratch that stand for the slots of one rank's buffers in a staged schedule, and the steps in which they are copied in and out. */
import { inputChunks, outputChunks } from '../ir/collective.ts';
import { never } from '../ir/none.ts';
import {
  type DataWindow,
  dataWindow,
  type Piece,
  type Schedule,
  type ScheduleBuffer,
  type Transfer,
} from '../ir/schedule.ts';
import { joinPieces } from './pieces.ts';

/** Slots are numbered consecutively: scratch, data, input, output. */
export class StagedRank {
  private readonly rank: number;
  private readonly inPlace: boolean;
  private readonly start: Readonly<Record<ScheduleBuffer, number>>;
  private readonly window: DataWindow;
  /** 1 for slots that some transfer reads or writes. */
  private readonly used: Uint8Array;
  private readonly firstWrite: Int32Array;
  private readonly lastWrite: Int32Array;
  /** By slot: the step before which it must hold its input; `never` if it need not. */
  private readonly neededIn: Int32Array;
  private readonly place: Int32Array;

  constructor({ collective, scratch }: Schedule, rank: number) {
    const [inputs, outputs] = [inputChunks(collective, rank), outputChunks(collective, rank)];
    this.rank = rank;
    this.inPlace = collective.inPlace;
    this.window = dataWindow(collective, rank);
    const { size } = this.window;
    this.start = { scratch: 0, data: scratch, input: scratch + size, output: scratch + size + inputs };
    const slots = scratch + size + inputs + outputs;
    this.used = new Uint8Array(slots);
    this.firstWrite = new Int32Array(slots).fill(never);
    this.lastWrite = new Int32Array(slots).fill(-1);
    this.neededIn = new Int32Array(slots).fill(never);
    this.place = new Int32Array(slots);
  }

  /** Records the reads of a transfer. Steps must be recorded in order, and the reads of a transfer before its writes. */
  noteReads({ pieces }: Transfer, step: number): void {
    for (const { from, fromOffset, count } of pieces) {
      for (let slot = this.start[from] + fromOffset; slot < this.start[from] + fromOffset + count; slot++) {
        this.used[slot] = 1;
        if (this.firstWrite[slot] >= step) this.need(slot, step);
      }
    }
  }

  noteWrites({ pieces, kind }: Transfer, step: number): void {
    for (const { to, toOffset, count } of pieces) {
      for (let slot = this.start[to] + toOffset; slot < this.start[to] + toOffset + count; slot++) {
        this.used[slot] = 1;
        if (kind === 'reduce' && this.firstWrite[slot] >= step) this.need(slot, step);
        this.firstWrite[slot] = Math.min(this.firstWrite[slot], step);
        this.lastWrite[slot] = step;
      }
    }
  }

  /** Assigns consecutive slots of scratch to all used slots, and returns their number. */
  assign(): number {
    let free = 0;
    this.used.forEach((used, slot) => {
      this.place[slot] = free;
      free += used;
    });
    return free;
  }

  /** The slot of scratch that stands for a used slot. */
  placeOf(buffer: ScheduleBuffer, slot: number): number {
    return this.place[this.start[buffer] + slot];
  }

  /** Copies from the input of the slots that are first needed in a step. */
  copiesIn(step: number, channel: number): readonly Transfer[] {
    return this.copies(this.neededIn, step, channel, (slot) => {
      const input = this.inputOf(slot);
      return input === undefined
        ? undefined
        : { from: 'input', fromOffset: input, to: 'scratch', toOffset: this.place[slot] };
    });
  }

  /** Copies to the output of the slots that a step writes last. */
  copiesOut(step: number, channel: number): readonly Transfer[] {
    return this.copies(this.lastWrite, step, channel, (slot) => {
      const output = this.outputOf(slot);
      return output === undefined
        ? undefined
        : { from: 'scratch', fromOffset: this.place[slot], to: 'output', toOffset: output };
    });
  }

  /**
   * Records when a slot needs its input. In place the output may occupy the memory of the input, so that `input` slots are copied before the first
   * step there.
   */
  private need(slot: number, step: number): void {
    const isInput = this.inPlace && slot >= this.start.input && slot < this.start.output;
    this.neededIn[slot] = Math.min(this.neededIn[slot], isInput ? 0 : step);
  }

  private copies(
    steps: Int32Array,
    step: number,
    channel: number,
    ends: (slot: number) => Omit<Piece, 'count'> | undefined,
  ): readonly Transfer[] {
    const pieces: Piece[] = [];
    if (step >= 0) {
      steps.forEach((at, slot) => {
        const copied = at === step ? ends(slot) : undefined;
        if (copied !== undefined) pieces.push({ ...copied, count: 1 });
      });
    }
    return joinPieces(pieces).map((piece) => ({
      kind: 'copy',
      source: this.rank,
      destination: this.rank,
      channel,
      order: 'held-first',
      pieces: [piece],
      origin: undefined,
    }));
  }

  /** The input slot whose data a slot holds at the start, if any. */
  private inputOf(slot: number): number | undefined {
    const { data, input, output } = this.start;
    if (slot >= input && slot < output) return slot - input;
    const inWindow = slot - data - this.window.input;
    const startsAsInput = this.window.input >= 0 && slot >= data && slot < input;
    return startsAsInput && inWindow >= 0 && inWindow < this.window.inputCount ? inWindow : undefined;
  }

  /** The output slot whose result a slot holds at the end, if any. */
  private outputOf(slot: number): number | undefined {
    const { data, input, output } = this.start;
    if (slot >= output) return slot - output;
    const inWindow = slot - data - this.window.output;
    return slot >= data && slot < input && inWindow >= 0 && inWindow < this.window.outputCount ? inWindow : undefined;
  }
}

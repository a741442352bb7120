/** Where the slots of one rank's buffers lie in scratch when everything is staged, and when they are copied there and back. */
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

/** Slots are numbered through: scratch, data, input, output. */
export class StagedRank {
  private readonly rank: number;
  private readonly inPlace: boolean;
  private readonly start: Readonly<Record<ScheduleBuffer, number>>;
  private readonly window: DataWindow;
  /** 1 for slots that some transfer reads or writes. */
  private readonly used: Uint8Array;
  private readonly firstWrite: Int32Array;
  private readonly lastWrite: Int32Array;
  /** The step before which a slot must hold what the input holds; `never` if it need not. */
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

  /** Notes what a transfer of a step reads here; steps come in order, of each transfer the reads first. */
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

  /** Gives every used slot its place, neighbours side by side; returns the chunks of scratch that they take. */
  assign(): number {
    let free = 0;
    this.used.forEach((used, slot) => {
      this.place[slot] = free;
      free += used;
    });
    return free;
  }

  /** The place in scratch of a slot that is used. */
  placeOf(buffer: ScheduleBuffer, slot: number): number {
    return this.place[this.start[buffer] + slot];
  }

  /** Copies from the input of what is first needed in a step. */
  copiesIn(step: number, channel: number): readonly Transfer[] {
    return this.copies(this.neededIn, step, channel, (slot) => {
      const input = this.inputOf(slot);
      return input === undefined
        ? undefined
        : { from: 'input', fromOffset: input, to: 'scratch', toOffset: this.place[slot] };
    });
  }

  /** Copies to the output of what a step has written last. */
  copiesOut(step: number, channel: number): readonly Transfer[] {
    return this.copies(this.lastWrite, step, channel, (slot) => {
      const output = this.outputOf(slot);
      return output === undefined
        ? undefined
        : { from: 'scratch', fromOffset: this.place[slot], to: 'output', toOffset: output };
    });
  }

  /** In place the output may take the memory of the input, so `input` slots are fetched before the first step there. */
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

  /** The input slot that a slot holds at the start, if any. */
  private inputOf(slot: number): number | undefined {
    const { data, input, output } = this.start;
    if (slot >= input && slot < output) return slot - input;
    const inWindow = slot - data - this.window.input;
    const startsAsInput = this.window.input >= 0 && slot >= data && slot < input;
    return startsAsInput && inWindow >= 0 && inWindow < this.window.inputCount ? inWindow : undefined;
  }

  /** The output slot that a slot holds the result of, if any. */
  private outputOf(slot: number): number | undefined {
    const { data, input, output } = this.start;
    if (slot >= output) return slot - output;
    const inWindow = slot - data - this.window.output;
    return slot >= data && slot < input && inWindow >= 0 && inWindow < this.window.outputCount ? inWindow : undefined;
  }
}

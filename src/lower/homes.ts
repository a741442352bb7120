/**
 * Where one rank's `data` slots really are. Cells are numbered as in `memoryLayout` (input and output, overlapping in
 * place), followed by scratch: first the schedule's own, then homes of data slots, then whatever lowering adds.
 *
 * Out of place a slot of the output window lives in the output, unless some range that is written lies partly in the
 * window: then everything that is written lives in scratch, in one row, and the output is copied at the end. A slot that
 * nobody has written yet is read from the input itself. In place slots live in the memory that input and output share.
 */
import { type Collective, inputChunks, type MemoryLayout, memoryLayout, outputChunks } from '../ir/collective.ts';
import type { Slice } from '../ir/plan.ts';
import { type DataWindow, dataWindow, type Schedule } from '../ir/schedule.ts';
import { type DataUse, never, surveyUse } from './data-use.ts';
import { BufferCode, type Range, readRanges, writeRanges } from './pieces.ts';
import { appendRun, type Move, type Run } from './runs.ts';

export class Homes {
  /** First cell behind everything that this class has given a place. */
  readonly end: number;
  /** Copies that must run before the first step. */
  readonly initialCopies: readonly Move[];
  /** Copies that must run after the last step. */
  readonly finalCopies: readonly Move[];
  private readonly schedule: Schedule;
  private readonly use: DataUse;
  private readonly window: DataWindow;
  private readonly layout: MemoryLayout;
  private readonly inputs: number;
  private readonly outputs: number;
  /** `data` may not be kept in the memory of the input. */
  private readonly inputIsKept: boolean;
  /** The cell of each data slot, −1 for slots that need none. */
  private readonly home: Int32Array;
  /** 1 for data slots whose home must hold the input's value before the first step. */
  private readonly needsInitial: Uint8Array;

  constructor(schedule: Schedule, rank: number, transfers: Int32Array, stepOf: Int32Array) {
    const { collective } = schedule;
    this.schedule = schedule;
    this.use = surveyUse(schedule, rank, transfers, stepOf);
    this.window = dataWindow(collective, rank);
    this.layout = memoryLayout(collective, rank);
    this.inputs = inputChunks(collective, rank);
    this.outputs = outputChunks(collective, rank);
    this.inputIsKept = !collective.inPlace || this.use.readsInputLate;
    this.home = new Int32Array(this.window.size).fill(-1);
    this.needsInitial = this.use.firstReduces.map((reduces, slot) =>
      reduces === 1 && this.startsAsInput(slot) ? 1 : 0,
    );
    const needed = this.use.firstWrite.map((step) => (step === never ? 0 : 1));
    for (const t of transfers) if (schedule.steps.source[t] === rank) this.noteReads(t, stepOf[t], needed);
    this.end = this.assign(needed, collective);
    this.initialCopies = this.planInitialCopies();
    this.finalCopies = this.planFinalCopies();
  }

  /** Cells that a transfer reads on this rank in a step. */
  source(transfer: number, step: number): Run[] {
    const runs: Run[] = [];
    for (const range of readRanges(this.schedule.steps, transfer)) {
      if (range.buffer === BufferCode.data && this.isUntouchedInput(range, step)) {
        this.append(runs, this.layout.input + range.offset - this.window.input, range.count);
      } else {
        this.appendRange(runs, range);
      }
    }
    return runs;
  }

  /** Cells that a transfer writes on this rank. */
  destination(transfer: number): Run[] {
    const runs: Run[] = [];
    for (const range of writeRanges(this.schedule.steps, transfer)) this.appendRange(runs, range);
    return runs;
  }

  /** Cells as a slice of a plan's buffer. In place, what lies in both input and output is written as output. */
  slice(first: number, count: number): Slice {
    const buffer = this.bufferOf(first, count);
    if (buffer === undefined) throw new Error(`cells ${first} to ${first + count - 1} are no slice of one buffer`);
    const start = { input: this.layout.input, output: this.layout.output, scratch: this.layout.cells }[buffer];
    return { buffer, offset: first - start, count };
  }

  private bufferOf(first: number, count: number): Slice['buffer'] | undefined {
    const { input, output, cells } = this.layout;
    if (first >= cells) return 'scratch';
    if (first >= output && first + count <= output + this.outputs) return 'output';
    if (first >= input && first + count <= input + this.inputs) return 'input';
    return undefined;
  }

  private readonly mayJoin = (run: Run): boolean => this.bufferOf(run.first, run.count) !== undefined;

  private append(runs: Run[], first: number, count: number): void {
    appendRun(runs, first, count, this.mayJoin);
  }

  private appendRange(runs: Run[], { buffer, offset, count }: Range): void {
    const { input, output, cells } = this.layout;
    if (buffer === BufferCode.input) this.append(runs, input + offset, count);
    else if (buffer === BufferCode.output) this.append(runs, output + offset, count);
    else if (buffer === BufferCode.scratch) this.append(runs, cells + offset, count);
    else this.appendHomes(runs, offset, offset + count);
  }

  private appendHomes(runs: Run[], from: number, to: number): void {
    const { home } = this;
    for (let slot = from; slot < to; ) {
      let end = slot + 1;
      while (end < to && home[end] === home[end - 1] + 1 && this.mayJoin({ first: home[slot], count: end + 1 - slot }))
        end++;
      this.append(runs, home[slot], end - slot);
      slot = end;
    }
  }

  private startsAsInput(slot: number): boolean {
    const { input, inputCount } = this.window;
    return input >= 0 && slot >= input && slot < input + inputCount;
  }

  /** All of a range starts as input, and nothing has been written there before the step. */
  private isUntouchedInput({ offset, count }: Range, step: number): boolean {
    if (!this.startsAsInput(offset) || !this.startsAsInput(offset + count - 1)) return false;
    for (let slot = offset; slot < offset + count; slot++) if (this.use.firstWrite[slot] < step) return false;
    return true;
  }

  /** A range that mixes what was written and what was not is read at home, so its initial values must be there. */
  private noteReads(transfer: number, step: number, needed: Int32Array): void {
    for (const range of readRanges(this.schedule.steps, transfer)) {
      if (range.buffer !== BufferCode.data || this.isUntouchedInput(range, step)) continue;
      for (let slot = range.offset; slot < range.offset + range.count; slot++) {
        needed[slot] = 1;
        if (this.use.firstWrite[slot] >= step && this.startsAsInput(slot)) this.needsInitial[slot] = 1;
      }
    }
  }

  /** Gives every slot that needs one its home; neighbours in scratch stay neighbours. Returns the first free cell. */
  private assign(needed: Int32Array, collective: Collective): number {
    const { window, layout, home } = this;
    const shared = collective.inPlace && this.inputs > 0 && this.outputs > 0 && !this.inputIsKept;
    const outputIsHome = shared || !(this.use.straddles || (collective.inPlace && this.use.readsInputLate));
    let free = layout.cells + this.use.scratch;
    for (let slot = 0; slot < window.size; slot++) {
      if (needed[slot] === 0) continue;
      const inOutput = slot >= window.output && slot < window.output + window.outputCount;
      if (!this.inputIsKept && this.startsAsInput(slot)) home[slot] = layout.input + slot - window.input;
      else if (outputIsHome && inOutput) home[slot] = layout.output + slot - window.output;
      else home[slot] = free++;
    }
    return free;
  }

  private planInitialCopies(): Move[] {
    const { window, layout, home, needsInitial, use } = this;
    const moves: Move[] = [];
    if (window.input < 0) return moves;
    for (let slot = window.input; slot < window.input + window.inputCount; slot++) {
      if (needsInitial[slot] === 1) this.appendMove(moves, layout.input + slot - window.input, home[slot]);
    }
    for (let chunk = 0; chunk < window.outputCount; chunk++) {
      const slot = window.output + chunk;
      const cell = layout.output + chunk;
      const isPlaced = needsInitial[slot] === 1 && home[slot] === cell;
      if (isPlaced || use.firstWrite[slot] !== never || use.outputWritten[chunk] === 1) continue;
      if (this.startsAsInput(slot)) this.appendMove(moves, layout.input + slot - window.input, cell);
    }
    return moves;
  }

  private planFinalCopies(): Move[] {
    const { window, layout, home, use } = this;
    const moves: Move[] = [];
    for (let chunk = 0; chunk < window.outputCount; chunk++) {
      const slot = window.output + chunk;
      if (use.firstWrite[slot] !== never) this.appendMove(moves, home[slot], layout.output + chunk);
    }
    return moves;
  }

  /** Adds a copy of one cell; copies onto themselves vanish, adjacent ones are joined. All come from one buffer. */
  private appendMove(moves: Move[], from: number, to: number): void {
    if (from === to) return;
    const last = moves.at(-1);
    const follows = last !== undefined && last.from + last.count === from && last.to + last.count === to;
    if (follows && this.mayJoin({ first: last.to, count: last.count + 1 })) {
      moves[moves.length - 1] = { ...last, count: last.count + 1 };
      return;
    }
    moves.push({ from, to, count: 1 });
  }
}

/**
 * Assigns a home in memory to each `data` slot of one rank. Cells are numbered as in `memoryLayout` (input and output, which overlap in place),
 * followed by scratch: first the scratch of the schedule, then homes of data slots, then what lowering adds.
 *
 * Out of place, the slots of the output window live in the output. The exception is a schedule that writes some range which lies only partly in the
 * window: then everything that is written lives in scratch, contiguously, and the output is copied at the end. A slot that has not been written yet
 * is read from the input itself. In place, slots live in the memory that input and output share. In both cases they live in scratch if the schedule
 * keeps chunks in slots where others belong (places.ts).
 */
import {
  type Collective,
  expectation,
  inputChunks,
  type MemoryLayout,
  memoryLayout,
  outputChunks,
} from '../../ir/collective.ts';
import { never, none } from '../../ir/none.ts';
import { type DataWindow, dataWindow } from '../../ir/schedule.ts';
import type { ScheduleFacts } from '../schedule-facts.ts';
import { bufferCodes } from './buffer-codes.ts';
import { type DataUse, surveyUse } from './data-use.ts';
import { BufferCode, type Ranges } from './pieces.ts';
import type { CellMove, CellRun } from './runs.ts';

const { input: inInput, output: inOutput, scratch: inScratch } = bufferCodes;

export class Homes {
  /** The first cell after all those that this class has assigned. */
  readonly end: number;
  /** Copies that must run before the first step. */
  readonly initialCopies: readonly CellMove[];
  /** Copies that must run after the last step. */
  readonly finalCopies: readonly CellMove[];
  private readonly facts: ScheduleFacts;
  private readonly use: DataUse;
  private readonly window: DataWindow;
  private readonly layout: MemoryLayout;
  private readonly inputs: number;
  private readonly outputs: number;
  /** Whether the memory of the input must not be overwritten by `data`. */
  private readonly inputIsKept: boolean;
  /** By data slot, its cell; −1 if the slot is not needed. */
  private readonly home: Int32Array;
  /** By data slot, 1 if its home must hold the value of the input before the first step. */
  private readonly needsInitial: Uint8Array;

  constructor(facts: ScheduleFacts, rank: number, transfers: Int32Array) {
    const { collective, steps } = facts.schedule;
    this.facts = facts;
    this.use = surveyUse(facts, rank, transfers);
    this.window = dataWindow(collective, rank);
    this.layout = memoryLayout(collective, rank);
    this.inputs = inputChunks(collective, rank);
    this.outputs = outputChunks(collective, rank);
    this.inputIsKept = !collective.inPlace || this.use.readsInputLate || facts.movesPlaces;
    this.home = new Int32Array(this.window.size).fill(-1);
    this.needsInitial = new Uint8Array(this.window.size);
    const needed = new Uint8Array(this.window.size);
    for (let slot = 0; slot < needed.length; slot++) {
      if (this.use.firstWrite[slot] !== never) needed[slot] = 1;
      if (this.use.firstReduces[slot] === 1 && this.startsAsInput(slot)) this.needsInitial[slot] = 1;
    }
    for (const t of transfers) if (steps.source[t] === rank) this.noteReads(t, needed);
    this.end = this.assign(needed, collective);
    this.initialCopies = this.planInitialCopies(collective, rank);
    this.finalCopies = this.planFinalCopies();
  }

  /** The cells that a transfer reads on this rank. */
  source(transfer: number): CellRun[] {
    const { reads, stepOf } = this.facts;
    const runs: CellRun[] = [];
    for (let r = reads.first[transfer]; r < reads.first[transfer + 1]; r++) {
      if (reads.buffer[r] === BufferCode.data && this.isUntouchedInput(r, stepOf[transfer])) {
        this.append(runs, this.layout.input + reads.offset[r] - this.window.input, reads.count[r]);
      } else {
        this.appendRange(runs, reads, r);
      }
    }
    return runs;
  }

  /** The cells that a transfer writes on this rank. */
  destination(transfer: number): CellRun[] {
    const { writes } = this.facts;
    const runs: CellRun[] = [];
    for (let r = writes.first[transfer]; r < writes.first[transfer + 1]; r++) this.appendRange(runs, writes, r);
    return runs;
  }

  /**
   * The code of the buffer that contains the cells. In place, cells of both input and output count as output. @throws Error if no buffer contains all
   * of them
   */
  bufferAt(first: number, count: number): number {
    const buffer = this.bufferOf(first, count);
    if (buffer === none) throw new Error(`cells ${first} to ${first + count - 1} are no slice of one buffer`);
    return buffer;
  }

  /** The offset of a cell in a buffer that contains it. */
  offsetIn(buffer: number, cell: number): number {
    const { input, output, cells } = this.layout;
    return cell - (buffer === inInput ? input : buffer === inOutput ? output : cells);
  }

  private bufferOf(first: number, count: number): number {
    const { input, output, cells } = this.layout;
    if (first >= cells) return inScratch;
    if (first >= output && first + count <= output + this.outputs) return inOutput;
    if (first >= input && first + count <= input + this.inputs) return inInput;
    return none;
  }

  /** Appends cells to a list of runs; they are coalesced with the last run if both together are one slice of a buffer. */
  private append(runs: CellRun[], first: number, count: number): void {
    const last = runs.at(-1);
    const follows = last !== undefined && last.first + last.count === first && !this.startsShard(first);
    if (follows && this.bufferOf(last.first, last.count + count) !== none) {
      runs[runs.length - 1] = { first: last.first, count: last.count + count };
    } else {
      runs.push({ first, count });
    }
  }

  /** Whether a shard of the output begins at a cell, so that no slice may extend across it. */
  private startsShard(cell: number): boolean {
    const { output } = this.layout;
    return cell >= output && cell < output + this.outputs && (cell - output) % this.facts.shard === 0;
  }

  private appendRange(runs: CellRun[], { buffer, offset, count }: Ranges, range: number): void {
    const { input, output, cells } = this.layout;
    const [first, length] = [offset[range], count[range]];
    if (buffer[range] === BufferCode.data) this.appendHomes(runs, first, first + length);
    else if (buffer[range] === BufferCode.input) this.append(runs, input + first, length);
    else if (buffer[range] === BufferCode.output) this.append(runs, output + first, length);
    else this.append(runs, cells + first, length);
  }

  private appendHomes(runs: CellRun[], from: number, to: number): void {
    const { home } = this;
    for (let slot = from; slot < to; ) {
      let end = slot + 1;
      while (end < to && home[end] === home[end - 1] + 1 && this.bufferOf(home[slot], end + 1 - slot) !== none) end++;
      this.append(runs, home[slot], end - slot);
      slot = end;
    }
  }

  private startsAsInput(slot: number): boolean {
    const { input, inputCount } = this.window;
    return input >= 0 && slot >= input && slot < input + inputCount;
  }

  /** Whether a range of `data` that is read begins as input and has not been written before the step. */
  private isUntouchedInput(range: number, step: number): boolean {
    const { offset, count } = this.facts.reads;
    const end = offset[range] + count[range];
    if (!this.startsAsInput(offset[range]) || !this.startsAsInput(end - 1)) return false;
    for (let slot = offset[range]; slot < end; slot++) if (this.use.firstWrite[slot] < step) return false;
    return true;
  }

  /**
   * Notes the slots that a transfer reads from their homes. If only some slots of a range have been written, the whole range is read there, so the
   * homes of the others must hold their initial values.
   */
  private noteReads(transfer: number, needed: Uint8Array): void {
    const { reads, stepOf } = this.facts;
    const step = stepOf[transfer];
    for (let r = reads.first[transfer]; r < reads.first[transfer + 1]; r++) {
      if (reads.buffer[r] !== BufferCode.data || this.isUntouchedInput(r, step)) continue;
      for (let slot = reads.offset[r]; slot < reads.offset[r] + reads.count[r]; slot++) {
        needed[slot] = 1;
        if (this.use.firstWrite[slot] >= step && this.startsAsInput(slot)) this.needsInitial[slot] = 1;
      }
    }
  }

  /** Assigns a home to every slot that needs one; adjacent slots in scratch remain adjacent. Returns the first free cell. */
  private assign(needed: Uint8Array, collective: Collective): number {
    const { window, layout, home } = this;
    const shared = collective.inPlace && this.inputs > 0 && this.outputs > 0 && !this.inputIsKept;
    const isApart = this.use.straddles || this.facts.movesPlaces;
    const outputIsHome = shared || !(isApart || (collective.inPlace && this.use.readsInputLate));
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

  private planInitialCopies(collective: Collective, rank: number): CellMove[] {
    const { window, layout, home, needsInitial, use } = this;
    const moves: CellMove[] = [];
    if (window.input < 0) return moves;
    for (let slot = window.input; slot < window.input + window.inputCount; slot++) {
      if (needsInitial[slot] === 1) this.appendMove(moves, layout.input + slot - window.input, home[slot]);
    }
    for (let chunk = 0; chunk < window.outputCount; chunk++) {
      const slot = window.output + chunk;
      const cell = layout.output + chunk;
      const isPlaced = needsInitial[slot] === 1 && home[slot] === cell;
      if (isPlaced || use.firstWrite[slot] !== never || use.outputWritten[chunk] === 1) continue;
      if (!this.startsAsInput(slot)) continue;
      // If the collective wants nothing in a slot, the output may have no room there, since the shards of input and output of a rank may differ in
      // size.
      if (expectation(collective, rank, chunk).kind === 'undefined') continue;
      this.appendMove(moves, layout.input + slot - window.input, cell);
    }
    return moves;
  }

  private planFinalCopies(): CellMove[] {
    const { window, layout, home, use } = this;
    const moves: CellMove[] = [];
    for (let chunk = 0; chunk < window.outputCount; chunk++) {
      const slot = window.output + chunk;
      if (use.firstWrite[slot] !== never) this.appendMove(moves, home[slot], layout.output + chunk);
    }
    return moves;
  }

  /** Adds a copy of one cell. Copies of a cell to itself are left out, and adjacent copies within one buffer are coalesced. */
  private appendMove(moves: CellMove[], from: number, to: number): void {
    if (from === to) return;
    const last = moves.at(-1);
    const follows = last !== undefined && last.from + last.count === from && last.to + last.count === to;
    if (follows && this.bufferOf(last.to, last.count + 1) !== none) {
      moves[moves.length - 1] = { ...last, count: last.count + 1 };
      return;
    }
    moves.push({ from, to, count: 1 });
  }
}

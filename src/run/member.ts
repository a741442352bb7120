/** One thread of a run. It owns some ranks: it fills their inputs, advances their lanes and checks their outputs. */
import type { Collective, ReductionOperator } from '../ir/collective.ts';
import { type Dtype, dtypeBytes } from '../ir/dtype.ts';
import { compareOutputs, firstWrongElement, type Mismatch } from './check.ts';
import { clock } from './clock.ts';
import { Control } from './control.ts';
import type { InputRequest } from './inputs.ts';
import { type Kernel, loadKernel } from './kernels/kernel.ts';
import type { SharedMemory } from './kernels/web-assembly.ts';
import { ByteLayout, type LayoutRequest } from './layout.ts';
import { Mover } from './mover.ts';
import { type Actions, Progress, type RunCounters } from './progress.ts';
import { Recorder } from './recorder.ts';
import { Reference } from './reference.ts';
import type { RunTables } from './tables.ts';

/** The assignment that every thread gets. It can be posted to a worker; the memory that threads write is shared. */
export interface ThreadAssignment {
  readonly tables: RunTables;
  readonly layout: LayoutRequest;
  readonly counters: RunCounters;
  readonly staged: Uint8Array;
  readonly inflight: number | undefined;
  readonly dtype: Dtype;
  /** Undefined if the plan reduces nothing. */
  readonly op: ReductionOperator | undefined;
  readonly inputs: InputRequest;
  readonly memory: SharedMemory;
  readonly control: SharedArrayBuffer;
  readonly threads: number;
  /** Whether there are more threads than processors. */
  readonly isCrowded: boolean;
  /** Whether every rank's output must be the same bit by bit, in addition to being right within rounding. */
  readonly isReplicated: boolean;
  /** Start and end of each instance (bulk · operations + operation) in seconds, if they are to be recorded. */
  readonly record: Float64Array | undefined;
}

/** The start and end of a repetition in one thread, in seconds of the clock that all threads share. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

export class Member {
  private readonly assignment: ThreadAssignment;
  private readonly collective: Collective;
  private readonly firstRank: number;
  private readonly endRank: number;
  private readonly layout: ByteLayout;
  private readonly kernel: Kernel;
  private readonly control: Control;
  private readonly progress: Progress;
  private readonly mover: Mover;
  private readonly reference: Reference;

  /** @param thread index of this thread in the assignment */
  constructor(assignment: ThreadAssignment, thread: number) {
    const { tables, counters, inflight, staged, dtype, op, memory, control, threads, isCrowded, inputs } = assignment;
    const { collective, elementBytes } = assignment.layout;
    this.assignment = assignment;
    this.collective = collective;
    this.firstRank = Math.floor((thread * collective.ranks) / threads);
    this.endRank = Math.floor(((thread + 1) * collective.ranks) / threads);
    this.layout = new ByteLayout(assignment.layout);
    this.kernel = loadKernel(memory, dtype, op);
    this.control = new Control(control, threads, isCrowded);
    this.progress = new Progress(tables, counters, inflight, staged);
    const onMoved = (): void => this.control.change();
    this.mover = new Mover({ tables, layout: this.layout, kernel: this.kernel, staged, elementBytes, onMoved });
    this.reference = new Reference(inputs, collective, this.layout);
  }

  /** Runs the plan `repetitions` times. If the plan overwrites its inputs, they are filled again before each run. Recording slows the run down. */
  run(repetitions: number, isRecorded: boolean): readonly Interval[] {
    const { record, tables } = this.assignment;
    const isNoted = isRecorded && record !== undefined;
    const actions = isNoted ? new Recorder(this.mover, record, tables.kind.length) : this.mover;
    const intervals: Interval[] = [];
    for (let repetition = 0; repetition < repetitions; repetition++) {
      if (repetition === 0 || this.collective.inPlace) this.fill();
      this.control.meet(() => this.reset());
      const start = clock();
      this.drain(actions);
      intervals.push({ start, end: clock() });
      this.control.meet(() => {});
    }
    return intervals;
  }

  /** The first wrong element of each rank of this thread that has one. */
  check(): readonly Mismatch[] {
    const { memory, dtype, isReplicated } = this.assignment;
    const request = { reference: this.reference, layout: this.layout, memory: memory.buffer, dtype };
    const wrong: Mismatch[] = [];
    for (let rank = this.firstRank; rank < this.endRank; rank++) {
      const mismatch =
        firstWrongElement(request, rank) ?? (isReplicated ? compareOutputs(request, 0, rank) : undefined);
      if (mismatch !== undefined) wrong.push(mismatch);
    }
    return wrong;
  }

  private reset(): void {
    const { completed, sent, delivered } = this.assignment.counters;
    completed.fill(0);
    sent.fill(0);
    delivered.fill(0);
  }

  /** Fills outputs with a byte of which no result consists, then inputs, which in place overlap the outputs. */
  private fill(): void {
    const { memory, dtype } = this.assignment;
    const size = dtypeBytes[dtype];
    for (let rank = this.firstRank; rank < this.endRank; rank++) {
      const outputs = this.layout.shards(rank, 'output');
      const inputs = this.layout.shards(rank, 'input');
      const outputBytes = outputs[outputs.length - 1] * size;
      const inputBytes = inputs[inputs.length - 1] * size;
      new Uint8Array(memory.buffer, this.layout.base(rank, 'output'), outputBytes).fill(0xa5);
      const target = new Uint8Array(memory.buffer, this.layout.base(rank, 'input'), inputBytes);
      const pattern = new Uint8Array(this.reference.input(rank).buffer);
      for (let at = 0; at < inputBytes; at += pattern.length) {
        target.set(pattern.subarray(0, Math.min(pattern.length, inputBytes - at)), at);
      }
    }
  }

  /** Advances the lanes in turn until all have finished. If none can advance, waits for other threads. */
  private drain(actions: Actions): void {
    const { firstLane } = this.assignment.tables;
    const first = firstLane[this.firstRank];
    let lanes = Array.from({ length: firstLane[this.endRank] - first }, (_, index) => first + index);
    lanes = lanes.filter((lane) => !this.progress.isFinished(lane));
    while (lanes.length > 0) {
      const seen = this.control.changes;
      let moved = false;
      for (const lane of lanes) if (this.progress.advance(lane, actions)) moved = true;
      if (moved) lanes = lanes.filter((lane) => !this.progress.isFinished(lane));
      else this.control.waitForChange(seen);
    }
  }
}

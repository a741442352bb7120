/**
 * Lowers an allgather along an in-tree. A message that is one slice is received in its final place; other messages are
 * received in a landing buffer and copied. What arrived in one step is forwarded in the next from where it lies: as it
 * is if the whole message is contiguous in memory, otherwise packed.
 */
import type { Generator } from '../../ir/compact.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { bufferCodes } from '../../lower/memory/buffer-codes.ts';
import type { MessageBuffers, ReceivedMessage } from './message-buffers.ts';
import { inOutput, inScratch } from './program.ts';
import type { TreeRows } from './rows.ts';

/**
 * Location of the rank's own shard, and the operation that must be complete before it is sent, or before other shards
 * arrive; −1 for none.
 */
export interface GatherStart {
  readonly ownBuffer: number;
  readonly ownReady: number;
  /** Operations that read output slots (which share memory with the input) before these are filled. */
  readonly lastReads: readonly number[];
  /** Number of steps before the first. */
  readonly steps: number;
}

export class CompactGather {
  private readonly rows: TreeRows;
  private readonly messages: MessageBuffers;
  private readonly generators: readonly Generator[];
  /** By row: the slot that is sent for it, named from the receiving rank's view. */
  private readonly sentFrom: Int32Array;
  private readonly sources: readonly number[];
  private readonly start: GatherStart;
  /** By output slot: where its data can be read, and which message of the last step delivered it. */
  private readonly buffer: Uint8Array;
  private readonly offset: Int32Array;
  private readonly cameOver: Int8Array;
  private arrivals: readonly (ReceivedMessage | undefined)[] = [];
  private readonly guarded: Set<number>;

  constructor(
    rows: TreeRows,
    messages: MessageBuffers,
    group: TranslationGroup,
    generators: readonly Generator[],
    start: GatherStart,
  ) {
    this.rows = rows;
    this.messages = messages;
    this.generators = generators;
    this.sentFrom = rows.slotsAcross(generators.map(({ offset }) => group.translation(offset)));
    this.sources = generators.map(({ offset }) => group.negate(offset));
    this.start = start;
    const slots = group.order * rows.chunks;
    this.buffer = new Uint8Array(slots).fill(bufferCodes.output);
    this.buffer.fill(start.ownBuffer, 0, rows.chunks);
    this.offset = new Int32Array(slots);
    for (let slot = 0; slot < slots; slot++) this.offset[slot] = slot;
    this.cameOver = new Int8Array(slots).fill(-1);
    this.guarded = new Set();
  }

  run(): void {
    for (let step = 0; step < this.rows.tree.stepCount; step++) {
      // What a step sends arrived in earlier steps.
      for (let g = 0; g < this.generators.length; g++) this.send(step, g);
      this.arrivals = this.generators.map((_, g) => this.receive(step, g));
    }
  }

  /**
   * Rank 0 sends what the receiving rank across the generator gets: that rank's chunk of shard z is rank 0's chunk of
   * shard z ⊕ offset.
   */
  private send(step: number, g: number): void {
    const { rows, messages } = this;
    const { program } = messages;
    const [first, end] = rows.message(step, g);
    if (first === end) return;
    const lane = messages.sendLanes[g];
    const at = this.start.steps + step + 1;
    const peer = this.generators[g].offset;
    const whole = this.stretchEnd(first, end) === end;
    let to = messages.packAt[g];
    for (let row = first; row < end; ) {
      const next = this.stretchEnd(row, end);
      const slot = this.sentFrom[row];
      const from = { buffer: this.buffer[slot], offset: this.offset[slot] };
      const operation = whole
        ? program.send(lane, at, peer, from, next - row)
        : program.copy(lane, at, from, inScratch(to), next - row);
      this.awaitStretch(operation, lane, slot);
      to += next - row;
      row = next;
    }
    if (!whole) program.send(lane, at, peer, inScratch(messages.packAt[g]), end - first);
  }

  /**
   * The end of a run of rows whose data is contiguous in memory, and within one shard where the buffer consists of
   * shards.
   */
  private stretchEnd(row: number, end: number): number {
    const { sentFrom, buffer, offset, cameOver } = this;
    const { shard } = this.rows.tree;
    const slot = sentFrom[row];
    let next = row + 1;
    for (; next < end; next++) {
      const at = sentFrom[next];
      if (buffer[at] !== buffer[slot] || offset[at] !== offset[slot] + next - row) break;
      if (cameOver[at] !== cameOver[slot]) break;
      if (buffer[slot] !== bufferCodes.scratch && shard[next] !== shard[row]) break;
    }
    return next;
  }

  /** Makes an operation wait for the operations that delivered the data it reads. */
  private awaitStretch(operation: number, lane: number, slot: number): void {
    const { messages, start } = this;
    const arrival = this.cameOver[slot] < 0 ? undefined : this.arrivals[this.cameOver[slot]];
    if (arrival === undefined) {
      if (start.ownReady >= 0) messages.program.wait(operation, start.ownReady);
      return;
    }
    messages.program.wait(operation, arrival.operation);
    if (this.buffer[slot] === bufferCodes.scratch) messages.noteReader(arrival, lane, operation);
  }

  private receive(step: number, g: number): ReceivedMessage | undefined {
    const { rows, messages } = this;
    const { program } = messages;
    const [first, end] = rows.message(step, g);
    if (first === end) return undefined;
    const lane = messages.receiveLanes[g];
    const at = this.start.steps + step + 1;
    const asNamed = (shard: number): number => shard;
    if (rows.sliceEnd(first, end) === end) {
      const slot = rows.slot(first, asNamed);
      const operation = program.receive(lane, at, this.sources[g], inOutput(slot), end - first);
      this.guard(lane, operation);
      this.cameOver.fill(g, slot, slot + end - first);
      return { generator: g, operation, offset: -1, landing: -1 };
    }
    const arrival = messages.land(g, at, end - first);
    let from = arrival.offset;
    for (let row = first; row < end; ) {
      const next = rows.sliceEnd(row, end);
      const slot = rows.slot(row, asNamed);
      this.guard(lane, program.copy(lane, at, inScratch(from), inOutput(slot), next - row));
      for (let i = 0; i < next - row; i++) {
        this.buffer[slot + i] = bufferCodes.scratch;
        this.offset[slot + i] = from + i;
        this.cameOver[slot + i] = g;
      }
      from += next - row;
      row = next;
    }
    return arrival;
  }

  /** Makes the first operation of a lane that fills output slots wait for the readers of the input there. */
  private guard(lane: number, operation: number): void {
    if (this.guarded.has(lane)) return;
    this.guarded.add(lane);
    for (const read of this.start.lastReads) this.messages.program.wait(operation, read);
  }
}

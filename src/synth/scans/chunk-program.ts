/**
 * Compiles the symbolic description of a scan (`Story`, values.ts) to the operations of one chunk: messages and local operations in stages,
 * with storage assigned.
 */
import type { OperandOrder, ScheduleBuffer, TransferKind } from '../../ir/schedule.ts';
import type { ScanValue, Story } from './values.ts';

/** Where a value is stored: the chunk's place in a buffer, or a scratch slot. */
export interface ScanChunk {
  readonly buffer: ScheduleBuffer;
  /** The number of the scratch slot; 0 in other buffers. */
  readonly slot: number;
}

/** One operation on one chunk: a message if source and destination differ, otherwise a local copy or reduction. */
export interface ChunkOperation {
  /** Order of execution: by stage, then by part. Part 0 holds local copies of inputs, part 1 the messages, later parts the other local operations. */
  readonly stage: number;
  readonly part: number;
  readonly source: number;
  readonly destination: number;
  readonly kind: TransferKind;
  readonly order: OperandOrder;
  readonly from: ScanChunk;
  readonly to: ScanChunk;
}

/** All operations that scan one chunk. */
export interface ChunkProgram {
  readonly operations: readonly ChunkOperation[];
  readonly messages: number;
  /** Maximum number of scratch slots that any rank needs. */
  readonly scratch: number;
  /** Stages, counted from 1. */
  readonly stages: number;
}

/** Mutable while a program is being written, since results made in scratch may still be moved to the data buffer. */
type Draft<T> = { -readonly [K in keyof T]: T[K] };

const input: ScanChunk = { buffer: 'input', slot: 0 };

/**
 * Compiles a story.
 * @param isScan true for scan, whose data buffer starts as the rank's input; false for exscan
 */
export function programOf(story: Story, ranks: number, isScan: boolean): ChunkProgram {
  const writer = new Writer(story, ranks);
  for (const value of story.messages) writer.placeOf(value);
  story.results.forEach((value, rank) => {
    if (value !== undefined && !(isScan && value.made.kind === 'input')) writer.result(value, rank);
  });
  return writer.program();
}

class Writer {
  private readonly operations: ChunkOperation[] = [];
  private readonly places = new Map<number, Draft<ScanChunk>>();
  /** By scratch slot: the operation that first writes it. */
  private readonly firstWrites = new Map<ScanChunk, ChunkOperation>();
  /** By rank: the last operation that reads its input. */
  private readonly lastReads: (ChunkOperation | undefined)[] = [];
  /** By value: how many uses it has, as an operand, a message or a result. */
  private readonly uses = new Map<number, number>();
  private readonly used: Int32Array;
  private readonly results: { readonly rank: number; readonly stage: number; readonly from: Draft<ScanChunk> }[] = [];

  constructor({ messages, results }: Story, ranks: number) {
    this.used = new Int32Array(ranks);
    for (const value of [...messages.flatMap(madeOf), ...results]) if (value !== undefined) this.count(value);
  }

  private count(value: ScanValue): void {
    const uses = this.uses.get(value.id) ?? 0;
    this.uses.set(value.id, uses + 1);
    if (uses === 0) for (const operand of madeOf(value)) this.count(operand);
  }

  /** Where a value is stored; the operations that make it are emitted on first request. */
  placeOf(value: ScanValue): Draft<ScanChunk> {
    const known = this.places.get(value.id);
    if (known !== undefined) return known;
    const place = this.make(value);
    this.places.set(value.id, place);
    return place;
  }

  private make(value: ScanValue): Draft<ScanChunk> {
    const { rank, made, stage } = value;
    if (made.kind === 'input') return input;
    if (made.kind === 'merge') return this.merge(value, made.lower, made.upper);
    const from = this.placeOf(made.sent);
    const to = this.slot(rank);
    const ends = { source: made.sent.rank, destination: rank };
    this.add({ stage, part: 1, ...ends, kind: 'copy', order: 'held-first', from, to });
    return to;
  }

  /** Merges in place of an operand that nothing else needs, or in a new slot. */
  private merge({ rank, stage, merges }: ScanValue, lower: ScanValue, upper: ScanValue): Draft<ScanChunk> {
    const [below, above] = [this.placeOf(lower), this.placeOf(upper)];
    const ends = { stage, source: rank, destination: rank } as const;
    const part = 2 * merges + 1;
    if (this.isFree(upper)) {
      this.add({ ...ends, part, kind: 'reduce', order: 'received-first', from: below, to: above });
      return above;
    }
    if (this.isFree(lower)) {
      this.add({ ...ends, part, kind: 'reduce', order: 'held-first', from: above, to: below });
      return below;
    }
    const to = this.slot(rank);
    this.add({ ...ends, part: above === input ? 0 : part - 1, kind: 'copy', order: 'held-first', from: above, to });
    this.add({ ...ends, part, kind: 'reduce', order: 'received-first', from: below, to });
    return to;
  }

  private isFree({ id, made }: ScanValue): boolean {
    return made.kind !== 'input' && this.uses.get(id) === 1;
  }

  private slot(rank: number): Draft<ScanChunk> {
    return { buffer: 'scratch', slot: this.used[rank]++ };
  }

  private add(operation: ChunkOperation): void {
    const { source, from, to } = operation;
    this.operations.push(operation);
    if (!this.firstWrites.has(to)) this.firstWrites.set(to, operation);
    const last = this.lastReads[source];
    if (from === input && (last === undefined || isBefore(last, operation))) this.lastReads[source] = operation;
  }

  result(value: ScanValue, rank: number): void {
    this.results.push({ rank, stage: value.stage, from: this.placeOf(value) });
  }

  /**
   * Moves results to the data buffer. A result is computed there directly if nothing reads the rank's input afterwards, since the input may
   * lie in that place; other results are copied there at the end.
   */
  program(): ChunkProgram {
    const { operations } = this;
    for (const { rank, stage, from } of this.results) {
      const [write, read] = [this.firstWrites.get(from), this.lastReads[rank]];
      if (write !== undefined && (read === undefined || !isBefore(write, read))) from.buffer = 'data';
      else this.copyLast(rank, Math.max(stage, read?.stage ?? 0), from);
    }
    const stages = operations.reduce((most, { stage }) => Math.max(most, stage), 1);
    const scratch = this.used.reduce((most, used) => Math.max(most, used), 0);
    const messages = operations.filter(({ source, destination }) => source !== destination).length;
    return { operations, messages, scratch, stages };
  }

  private copyLast(rank: number, stage: number, from: ScanChunk): void {
    const ends = { source: rank, destination: rank, kind: 'copy', order: 'held-first' } as const;
    const to: ScanChunk = { buffer: 'data', slot: 0 };
    this.operations.push({ ...ends, stage, part: Number.POSITIVE_INFINITY, from, to });
  }
}

function madeOf({ made }: ScanValue): readonly ScanValue[] {
  if (made.kind === 'merge') return [made.lower, made.upper];
  return made.kind === 'message' ? [made.sent] : [];
}

function isBefore(one: ChunkOperation, other: ChunkOperation): boolean {
  return one.stage < other.stage || (one.stage === other.stage && one.part < other.part);
}

/** What ranks do for one chunk of a story: messages and local operations, in stages, on places of their own. */
import type { OperandOrder, ScheduleBuffer, TransferKind } from '../../ir/schedule.ts';
import type { ScanValue, Story } from './values.ts';

/** The chunk in a buffer, or a chunk of scratch that is its own. */
export interface ScanChunk {
  readonly buffer: ScheduleBuffer;
  /** In scratch. */
  readonly slot: number;
}

export interface ChunkOperation {
  /** Local copies of inputs, then messages of a stage, then other local operations one part after the other. */
  readonly stage: number;
  readonly part: number;
  readonly source: number;
  readonly destination: number;
  readonly kind: TransferKind;
  readonly order: OperandOrder;
  readonly from: ScanChunk;
  readonly to: ScanChunk;
}

export interface ChunkProgram {
  readonly operations: readonly ChunkOperation[];
  readonly messages: number;
  /** Scratch chunks that a rank needs at most. */
  readonly scratch: number;
  /** Stages, counted from 1. */
  readonly stages: number;
}

/** Changes while a program is written: results that are made in scratch move to their place. */
type Draft<T> = { -readonly [K in keyof T]: T[K] };

const input: ScanChunk = { buffer: 'input', slot: 0 };

/** @param isScan then the data buffer starts as the rank's input */
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
  /** By place in scratch: what writes to it first. */
  private readonly firstWrites = new Map<ScanChunk, ChunkOperation>();
  /** By rank: the last operation that reads its input. */
  private readonly lastReads: (ChunkOperation | undefined)[] = [];
  /** By value: how many others are made of it, messages and results among them. */
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

  /** Where a value is; what makes it is written down when it is first asked for. */
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

  /** In the place of an operand that nothing else needs, or in one of its own. */
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

  /** Results are made in their place where nothing needs the input later, which may be there. Others are copied there last. */
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

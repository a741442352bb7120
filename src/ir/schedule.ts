/**
 * A schedule: the global view that people write and synthesizers make, fully expanded (no loops, no names).
 *
 * Meaning. Steps happen one after the other. Within a step all transfers read what was there before the step,
 * then all writes happen; several `reduce` transfers into one slot are applied in the order they are listed,
 * any other two writes to one slot in a step are a race (which the verifier will report, not the schedule).
 * A transfer whose ranks are equal is a local operation. One transfer between two ranks is one message.
 *
 * The `data` buffer. Most algorithms are written for one work buffer per rank as large as the larger of input
 * and output (N·C or C chunks). At the start it holds the rank's input at the place that it has in the
 * result, at the end the output is read from it; `dataWindow` says where. Lowering decides what is really
 * memory of the input, the output or scratch, in place or not. `input`, `output` and `scratch` name the plan's
 * own buffers directly, for schedules that need more.
 */

import type { Collective } from './collective.ts';
import { inputChunks, messageChunks, outputChunks } from './collective.ts';
import { IntColumn, IntRows, OriginTable } from './column.ts';
import type { SourceRange } from './diagnostic.ts';
import { intAt, itemAt } from './indexing.ts';

/** Buffers of a schedule, by their code in the tables. */
export const scheduleBuffers = ['data', 'input', 'output', 'scratch'] as const;
export type ScheduleBuffer = (typeof scheduleBuffers)[number];

/** Whether the data that arrive at a slot replace its content (`copy`) or are combined with it (`reduce`). */
export type TransferKind = 'copy' | 'reduce';

/** Which operand of a reduction stands left of the operator: `received` for src ⊕ dst, `held` for dst ⊕ src. */
export type OperandOrder = 'held-first' | 'received-first';

/** One contiguous part of a message: `count` chunks from one place to another. */
export interface Piece {
  readonly from: ScheduleBuffer;
  readonly fromOffset: number;
  readonly to: ScheduleBuffer;
  readonly toOffset: number;
  readonly count: number;
}

/** One message, or one local operation when `source` equals `destination`. */
export interface Transfer {
  readonly kind: TransferKind;
  readonly source: number;
  readonly destination: number;
  readonly channel: number;
  readonly order: OperandOrder;
  readonly pieces: readonly Piece[];
  readonly origin: SourceRange | undefined;
  /** Set on a local copy that represents computation: the time in nanoseconds that it takes for the whole message. */
  readonly nanoseconds?: number | undefined;
}

export interface Schedule {
  readonly name: string;
  readonly collective: Collective;
  /** Scratch chunks of every rank. */
  readonly scratch: number;
  /** True if the schedule combines contributions out of rank order, which is correct only for operators that commute. */
  readonly commutative: boolean;
  /** The transfers form a ring, in which the ranks may be permuted, by the same permutation in all steps. */
  readonly ring: boolean;
  /**
   * Ranks are synchronised by steps: a send waits until its rank has received and reduced everything that earlier steps send to it. Otherwise a send
   * waits only for the data that it carries.
   */
  readonly inStep?: true;
  /**
   * Sends wait as under `inStep`, and must go on doing so when the plan runs in several bulks: a send that waits in one bulk delays the next bulk as
   * well.
   */
  readonly sendsWait?: true;
  /** Ports serve messages in the order of the steps (`Plan.inTurn`). */
  readonly inTurn?: true;
  /** Figures that the schedule reports about itself, for people: names and values. */
  readonly figures?: readonly (readonly [string, number])[];
  readonly steps: Steps;
}

/** Where a rank's input lies in its `data` buffer at the start, and where its output lies at the end. */
export interface DataWindow {
  /** Chunks of the data buffer. */
  readonly size: number;
  /** First data slot of the input, or −1 if the data buffer does not start with it. */
  readonly input: number;
  readonly inputCount: number;
  /** First data slot of the output. */
  readonly output: number;
  readonly outputCount: number;
}

/** The `data` buffer's relation to input and output. Barrier and custom have none: they use input, output and scratch. */
export function dataWindow(c: Collective, rank: number): DataWindow {
  const inputCount = inputChunks(c, rank);
  const outputCount = outputChunks(c, rank);
  const shard = rank * c.chunks;
  const size = messageChunks(c);
  switch (c.kind) {
    case 'allgather':
    case 'gather':
      return { size, input: shard, inputCount, output: 0, outputCount };
    case 'reducescatter':
    case 'scatter':
      return { size, input: 0, inputCount, output: shard, outputCount };
    case 'allreduce':
    case 'broadcast':
    case 'reduce':
    case 'alltoall':
    case 'scan':
      return { size, input: 0, inputCount, output: 0, outputCount };
    case 'exscan':
      return { size, input: -1, inputCount, output: 0, outputCount };
    case 'barrier':
    case 'custom':
      return { size: 0, input: -1, inputCount: 0, output: 0, outputCount: 0 };
  }
}

/** Codes of the columns `kind` and `order`. */
const transferKinds: readonly TransferKind[] = ['copy', 'reduce'];
const operandOrders: readonly OperandOrder[] = ['held-first', 'received-first'];

/**
 * The transfers of a schedule, step by step, in columns: a schedule for 512 ranks has half a million of them.
 * Transfer t belongs to step s when `stepStart[s] ≤ t < stepStart[s + 1]`; its pieces are
 * `pieceStart[t] … pieceStart[t + 1] − 1`. Codes index `scheduleBuffers`, `transferKinds`, `operandOrders`.
 */
export class Steps {
  readonly stepStart: Int32Array;
  /** Rounds of each step (chunks per unit link); 0 where the schedule claims none. */
  readonly rounds: Int32Array;
  readonly kind: Int32Array;
  readonly source: Int32Array;
  readonly destination: Int32Array;
  readonly channel: Int32Array;
  readonly order: Int32Array;
  readonly origin: Int32Array;
  readonly pieceStart: Int32Array;
  readonly from: Int32Array;
  readonly fromOffset: Int32Array;
  readonly to: Int32Array;
  readonly toOffset: Int32Array;
  readonly count: Int32Array;
  /** By transfer, the nanoseconds of computation that it represents, −1 for none; undefined if no transfer represents computation. */
  readonly nanoseconds: Int32Array | undefined;
  /** The places that `origin` indexes. */
  readonly origins: readonly SourceRange[];
  /**
   * Set for an allgather in which all ranks do the same up to a shift in the `TranslationGroup` of this shape. Transfers then come in rows of one per
   * rank: the transfer of rank r is that of rank 0 with the destination and the shards of its pieces shifted by r. Each piece lies within one shard
   * of `data`.
   */
  readonly shape: readonly number[] | undefined;

  constructor({ shape, ...columns }: StepColumns) {
    this.shape = shape;
    this.stepStart = columns.stepStart;
    this.rounds = columns.rounds;
    this.kind = columns.kind;
    this.source = columns.source;
    this.destination = columns.destination;
    this.channel = columns.channel;
    this.order = columns.order;
    this.origin = columns.origin;
    this.pieceStart = columns.pieceStart;
    this.from = columns.from;
    this.fromOffset = columns.fromOffset;
    this.to = columns.to;
    this.toOffset = columns.toOffset;
    this.count = columns.count;
    this.origins = columns.origins;
    this.nanoseconds = columns.nanoseconds;
  }

  get stepCount(): number {
    return this.rounds.length;
  }

  get transferCount(): number {
    return this.kind.length;
  }

  isReduce(transfer: number): boolean {
    return this.kind[transfer] === 1;
  }

  /** A readable view of one transfer, for passes and printing; hot loops use the columns. */
  transfer(index: number): Transfer {
    const pieces: Piece[] = [];
    for (let p = intAt(this.pieceStart, index); p < intAt(this.pieceStart, index + 1); p++) {
      pieces.push({
        from: itemAt(scheduleBuffers, intAt(this.from, p)),
        fromOffset: intAt(this.fromOffset, p),
        to: itemAt(scheduleBuffers, intAt(this.to, p)),
        toOffset: intAt(this.toOffset, p),
        count: intAt(this.count, p),
      });
    }
    return {
      kind: itemAt(transferKinds, intAt(this.kind, index)),
      source: intAt(this.source, index),
      destination: intAt(this.destination, index),
      channel: intAt(this.channel, index),
      order: itemAt(operandOrders, intAt(this.order, index)),
      pieces,
      origin: this.origins[intAt(this.origin, index)],
      ...(this.nanoseconds !== undefined && intAt(this.nanoseconds, index) >= 0
        ? { nanoseconds: intAt(this.nanoseconds, index) }
        : {}),
    };
  }

  /** The transfers of one step. */
  inStep(step: number): Transfer[] {
    const transfers: Transfer[] = [];
    for (let t = intAt(this.stepStart, step); t < intAt(this.stepStart, step + 1); t++)
      transfers.push(this.transfer(t));
    return transfers;
  }
}

/** The columns from which `Steps` is constructed. */
type StepColumns = Omit<
  Steps,
  'stepCount' | 'transferCount' | 'transfer' | 'inStep' | 'isReduce' | 'shape' | 'nanoseconds'
> &
  Partial<Pick<Steps, 'shape' | 'nanoseconds'>>;

/** Collects transfers step by step. Steps that stay empty are left out. */
export class StepsBuilder {
  private readonly stepStart = new IntColumn();
  private readonly rounds = new IntColumn();
  /** Transfers as rows of their columns, `kind` to `pieceStart`. */
  private readonly transfers = new IntRows(7);
  /** Pieces as rows of their columns, `from` to `count`. */
  private readonly pieces = new IntRows(5);
  private readonly origins = new OriginTable();
  /** By transfer, the nanoseconds of computation that it represents. */
  private readonly computing = new Map<number, number>();
  private openStart = 0;
  /** Index of the first piece of the transfer that was started last. */
  private firstPiece = 0;

  /** Adds a transfer to the step being built. Pieces must have count ≥ 1; their concatenation is the message. */
  add(transfer: Transfer): void {
    this.startTransfer(transfer);
    for (const { from, fromOffset, to, toOffset, count } of transfer.pieces) {
      this.addPiece(scheduleBuffers.indexOf(from), fromOffset, scheduleBuffers.indexOf(to), toOffset, count);
    }
  }

  /** As `add`, but without pieces: the caller adds these with `addPiece`. */
  startTransfer({ kind, source, destination, channel, order, origin, nanoseconds }: Omit<Transfer, 'pieces'>): void {
    if (nanoseconds !== undefined) this.computing.set(this.transfers.length, nanoseconds);
    const [kindCode, orderCode] = [kind === 'reduce' ? 1 : 0, order === 'received-first' ? 1 : 0];
    this.start(kindCode, source, destination, channel, orderCode, this.origins.indexOf(origin));
  }

  /** Starts a transfer that copies kind, channel, order, origin and computation of a transfer of other steps, between the given ranks. */
  startLike(steps: Steps, transfer: number, source: number, destination: number): void {
    const { kind, channel, order, origin, origins, nanoseconds } = steps;
    if (nanoseconds !== undefined && intAt(nanoseconds, transfer) >= 0) {
      this.computing.set(this.transfers.length, intAt(nanoseconds, transfer));
    }
    const place = this.origins.indexOf(origins[intAt(origin, transfer)]);
    this.start(intAt(kind, transfer), source, destination, intAt(channel, transfer), intAt(order, transfer), place);
  }

  /** As `startTransfer` for a copy on channel 0 without an origin, for hot loops. */
  startMove(source: number, destination: number): void {
    this.start(0, source, destination, 0, 0, -1);
  }

  /** Adds a piece to the transfer that was started last; each transfer needs at least one. Buffers are given by their index in `scheduleBuffers`. */
  addPiece(from: number, fromOffset: number, to: number, toOffset: number, count: number): void {
    const at = this.pieces.add();
    const { cells } = this.pieces;
    cells[at] = from;
    cells[at + 1] = fromOffset;
    cells[at + 2] = to;
    cells[at + 3] = toOffset;
    cells[at + 4] = count;
  }

  /** As `addPiece`, but coalesces the piece with the one before if it continues it on both sides. */
  joinPiece(from: number, fromOffset: number, to: number, toOffset: number, count: number): void {
    const { cells, width, length } = this.pieces;
    const last = (length - 1) * width;
    const follows =
      length > this.firstPiece &&
      cells[last] === from &&
      intAt(cells, last + 1) + intAt(cells, last + 4) === fromOffset &&
      cells[last + 2] === to &&
      intAt(cells, last + 3) + intAt(cells, last + 4) === toOffset;
    if (follows) cells[last + 4] = intAt(cells, last + 4) + count;
    else this.addPiece(from, fromOffset, to, toOffset, count);
  }

  /** Number of steps that have been closed. */
  get closedSteps(): number {
    return this.stepStart.length;
  }

  /** Closes the step being built; `rounds` is what it claims per unit link, 0 for no claim. */
  endStep(rounds = 0): void {
    if (this.transfers.length === this.openStart) return;
    this.stepStart.push(this.openStart);
    this.rounds.push(rounds);
    this.openStart = this.transfers.length;
  }

  /** @param shape where all ranks do the same, shifted: see `Steps` */
  build(shape?: readonly number[]): Steps {
    this.endStep();
    this.stepStart.push(this.transfers.length);
    const { transfers, pieces } = this;
    const firstPiece = transfers.column(6);
    const [count, kind] = [pieces.column(4), transfers.column(0)];
    const pieceStart = new Int32Array(firstPiece.length + 1);
    pieceStart.set(firstPiece);
    pieceStart[firstPiece.length] = count.length;
    let nanoseconds: Int32Array | undefined;
    if (this.computing.size > 0) {
      nanoseconds = new Int32Array(kind.length).fill(-1);
      for (const [transfer, time] of this.computing) nanoseconds[transfer] = time;
    }
    return new Steps({
      nanoseconds,
      stepStart: this.stepStart.view(),
      rounds: this.rounds.view(),
      kind,
      source: transfers.column(1),
      destination: transfers.column(2),
      channel: transfers.column(3),
      order: transfers.column(4),
      origin: transfers.column(5),
      pieceStart,
      from: pieces.column(0),
      fromOffset: pieces.column(1),
      to: pieces.column(2),
      toOffset: pieces.column(3),
      count,
      origins: this.origins.ranges,
      shape,
    });
  }

  private start(
    kind: number,
    source: number,
    destination: number,
    channel: number,
    order: number,
    origin: number,
  ): void {
    const at = this.transfers.add();
    const { cells } = this.transfers;
    cells[at] = kind;
    cells[at + 1] = source;
    cells[at + 2] = destination;
    cells[at + 3] = channel;
    cells[at + 4] = order;
    cells[at + 5] = origin;
    this.firstPiece = this.pieces.length;
    cells[at + 6] = this.firstPiece;
  }
}

/** A fingerprint that distinguishes schedules of the same name: FNV-1a over the transfers, step by step. */
export function fingerprint(steps: Steps): string {
  const { stepStart, source, destination, channel, pieceStart, fromOffset, toOffset, count } = steps;
  let hash = 0x811c9dc5;
  for (const column of [stepStart, source, destination, channel, pieceStart, fromOffset, toOffset, count]) {
    for (const value of column) hash = Math.imul(hash ^ value, 0x01000193);
  }
  return `${steps.stepCount} ${steps.transferCount} ${hash >>> 0}`;
}

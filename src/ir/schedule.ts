/**
 * A schedule: the global view that people write and synthesizers make, fully expanded (no loops, no names).
 *
 * Meaning. Steps happen one after the other. Within a step all transfers read what was there before the step,
 * then all writes happen; several `reduce` transfers into one slot are applied in the order they are listed,
 * any other two writes to one slot in a step are a race (which the verifier will report, not the schedule).
 * A transfer whose ranks are equal is a local operation. One transfer between two ranks is one message.
 *
 * The `data` buffer. Most algorithms are written for one work buffer per rank as large as the larger of input
 * and output (N·C or C chunks). At the start it holds the rank's input at the place design.md §4 gives it in the
 * result, at the end the output is read from it; `dataWindow` says where. Lowering decides what is really
 * memory of the input, the output or scratch, in place or not. `input`, `output` and `scratch` name the plan's
 * own buffers directly, for schedules that need more.
 */
import type { Collective } from './collective.ts';
import { inputChunks, messageChunks, outputChunks } from './collective.ts';
import { IntColumn, OriginTable } from './column.ts';
import type { SourceRange } from './diagnostic.ts';

/** Buffers of a schedule, by their code in the tables. */
export const scheduleBuffers = ['data', 'input', 'output', 'scratch'] as const;
export type ScheduleBuffer = (typeof scheduleBuffers)[number];

/** What arrives at a slot replaces what is there, or is combined with it. */
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
}

export interface Schedule {
  readonly name: string;
  readonly collective: Collective;
  /** Scratch chunks of every rank. */
  readonly scratch: number;
  /** Correct only for operators that commute (it combines contributions out of rank order). */
  readonly commutative: boolean;
  /** The overlay is a ring in which ranks may stand in any order, as long as it is the same everywhere. */
  readonly ring: boolean;
  /**
   * Ranks keep in step: what one sends in a step waits until it has received and reduced everything that earlier steps send it.
   * Otherwise it waits for the data that it sends.
   */
  readonly inStep?: true;
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

const kinds: readonly TransferKind[] = ['copy', 'reduce'];
const orders: readonly OperandOrder[] = ['held-first', 'received-first'];

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
  /** The places that `origin` indexes. */
  readonly origins: readonly SourceRange[];

  constructor(columns: Omit<Steps, 'stepCount' | 'transferCount' | 'transfer' | 'inStep' | 'isReduce'>) {
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
    for (let p = this.pieceStart[index]; p < this.pieceStart[index + 1]; p++) {
      pieces.push({
        from: scheduleBuffers[this.from[p]],
        fromOffset: this.fromOffset[p],
        to: scheduleBuffers[this.to[p]],
        toOffset: this.toOffset[p],
        count: this.count[p],
      });
    }
    return {
      kind: kinds[this.kind[index]],
      source: this.source[index],
      destination: this.destination[index],
      channel: this.channel[index],
      order: orders[this.order[index]],
      pieces,
      origin: this.origins[this.origin[index]],
    };
  }

  /** The transfers of one step. */
  inStep(step: number): Transfer[] {
    const transfers: Transfer[] = [];
    for (let t = this.stepStart[step]; t < this.stepStart[step + 1]; t++) transfers.push(this.transfer(t));
    return transfers;
  }
}

/** Collects transfers step by step. Steps that stay empty are left out. */
export class StepsBuilder {
  private readonly stepStart = new IntColumn();
  private readonly rounds = new IntColumn();
  private readonly kind = new IntColumn();
  private readonly source = new IntColumn();
  private readonly destination = new IntColumn();
  private readonly channel = new IntColumn();
  private readonly order = new IntColumn();
  private readonly origin = new IntColumn();
  private readonly pieceStart = new IntColumn();
  private readonly from = new IntColumn();
  private readonly fromOffset = new IntColumn();
  private readonly to = new IntColumn();
  private readonly toOffset = new IntColumn();
  private readonly count = new IntColumn();
  private readonly origins = new OriginTable();
  private openStart = 0;

  get transferCount(): number {
    return this.kind.length;
  }

  /** Adds a transfer to the step being built. Pieces must have count ≥ 1; their concatenation is the message. */
  add(transfer: Transfer): void {
    this.kind.push(kinds.indexOf(transfer.kind));
    this.source.push(transfer.source);
    this.destination.push(transfer.destination);
    this.channel.push(transfer.channel);
    this.order.push(orders.indexOf(transfer.order));
    this.origin.push(this.origins.indexOf(transfer.origin));
    this.pieceStart.push(this.from.length);
    for (const piece of transfer.pieces) {
      this.from.push(scheduleBuffers.indexOf(piece.from));
      this.fromOffset.push(piece.fromOffset);
      this.to.push(scheduleBuffers.indexOf(piece.to));
      this.toOffset.push(piece.toOffset);
      this.count.push(piece.count);
    }
  }

  /** As `add` for moves on channel 0 without an origin, for hot loops: its pieces follow, by `addPiece`. */
  startMove(source: number, destination: number): void {
    this.kind.push(0);
    this.source.push(source);
    this.destination.push(destination);
    this.channel.push(0);
    this.order.push(0);
    this.origin.push(-1);
    this.pieceStart.push(this.from.length);
  }

  /** One more piece, at least one, of the transfer that was started last; buffers by their index in `scheduleBuffers`. */
  addPiece(from: number, fromOffset: number, to: number, toOffset: number, count: number): void {
    this.from.push(from);
    this.fromOffset.push(fromOffset);
    this.to.push(to);
    this.toOffset.push(toOffset);
    this.count.push(count);
  }

  /** Closes the step being built; `rounds` is what it claims per unit link, 0 for no claim. */
  endStep(rounds = 0): void {
    if (this.kind.length === this.openStart) return;
    this.stepStart.push(this.openStart);
    this.rounds.push(rounds);
    this.openStart = this.kind.length;
  }

  build(): Steps {
    this.endStep();
    this.stepStart.push(this.kind.length);
    this.pieceStart.push(this.from.length);
    return new Steps({
      stepStart: this.stepStart.view(),
      rounds: this.rounds.view(),
      kind: this.kind.view(),
      source: this.source.view(),
      destination: this.destination.view(),
      channel: this.channel.view(),
      order: this.order.view(),
      origin: this.origin.view(),
      pieceStart: this.pieceStart.view(),
      from: this.from.view(),
      fromOffset: this.fromOffset.view(),
      to: this.to.view(),
      toOffset: this.toOffset.view(),
      count: this.count.view(),
      origins: this.origins.ranges,
    });
  }
}

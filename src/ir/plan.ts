/**
 * A plan: per-rank programs with explicit buffers, channels and dependencies: what a runtime runs (docs/plan-format.md).
 *
 * Invariants of the tables (a reader or builder guarantees them; the verifier proves everything else):
 * - program p is the program of rank p; its lanes are `firstLane[p] … firstLane[p + 1] − 1`;
 * - lane l holds operations `firstOp[l] … firstOp[l + 1] − 1`, in the order they run; so operations are numbered
 *   rank by rank, lane by lane;
 * - operation o waits for `afterOp[firstAfter[o] … firstAfter[o + 1] − 1]`, operations of the same rank, of the same bulk or
 *   of the one `afterBulks[…]` bulks earlier.
 */

import type { Collective } from './collective.ts';
import { IntColumn, OriginTable } from './column.ts';
import type { SourceRange } from './diagnostic.ts';
import { intAt, itemAt } from './indexing.ts';
import { type OperationRow, OperationRows, type OperationTable } from './operation-table.ts';
import type { OperandOrder } from './schedule.ts';
import type { Seconds } from './units.ts';

export type { OperationTable } from './operation-table.ts';

/** Operation kinds, by their code in the tables. */
export const operationKinds = ['copy', 'reduce', 'send', 'recv', 'recvReduce'] as const;
export type OperationKind = (typeof operationKinds)[number];

/** Codes of the operation kinds, for hot loops. */
export const OperationCode = { copy: 0, reduce: 1, send: 2, recv: 3, recvReduce: 4 } as const;

/** Buffers of a plan, by their code in the tables; code −1 means the operation has no such operand. */
export const planBuffers = ['input', 'output', 'scratch'] as const;
export type PlanBuffer = (typeof planBuffers)[number];

/** Contiguous chunks of a buffer. */
export interface Slice {
  readonly buffer: PlanBuffer;
  readonly offset: number;
  readonly count: number;
}

/** `[lane id, index]` of the same rank, `bulks` bulks earlier (0: the same bulk). */
export interface Dependency {
  readonly lane: number;
  readonly index: number;
  readonly bulks: number;
}

interface CommonFields {
  /** The k-synchronous step, for runtimes with barriers. */
  readonly step: number;
  readonly after: readonly Dependency[];
  readonly origin: SourceRange | undefined;
}

/** One operation, readable: dst = src, dst = dst ⊕ src, message out, message in, dst = dst ⊕ message in. */
export type Operation =
  | ({
      readonly op: 'copy';
      readonly src: Slice;
      readonly dst: Slice;
      /** Set if the copy represents computation: its nanoseconds for all bulks together. */
      readonly nanoseconds?: number;
    } & CommonFields)
  | ({ readonly op: 'reduce'; readonly src: Slice; readonly dst: Slice; readonly order: OperandOrder } & CommonFields)
  | ({ readonly op: 'send'; readonly peer: number; readonly channel: number; readonly src: Slice } & CommonFields)
  | ({ readonly op: 'recv'; readonly peer: number; readonly channel: number; readonly dst: Slice } & CommonFields)
  | ({
      readonly op: 'recvReduce';
      readonly peer: number;
      readonly channel: number;
      readonly dst: Slice;
      readonly order: OperandOrder;
    } & CommonFields);

/** Chunks of each buffer that a program declares; `scratch` counts one bulk's copy. */
export interface ProgramBuffers {
  readonly input: number;
  readonly output: number;
  readonly scratch: number;
}

/** How a plan was made: by which engine, from which inputs, with which seed. */
export interface PlanOrigin {
  readonly engine: string;
  /** The schedule that the plan was made from, before its message sizes or the order of its copies were tuned. */
  readonly schedule: string;
  /**
   * The complete description of the schedule and of what was done to it. The plan's name is short and may be shared by
   * plans of one engine; recipes distinguish them.
   * @example 'levels (2x2, 1 scattered: routed gather, even ways along), sized'
   */
  readonly recipe?: string;
  readonly [detail: string]: string | number | boolean | readonly number[] | undefined;
}

export interface Plan {
  readonly name: string;
  readonly collective: Collective;
  /** How many equal slices of the message pass through the programs in turn; ≥ 1. */
  readonly bulks: number;
  /** Copies of scratch: bulk b uses copy b mod this; ≥ 1. */
  readonly scratchPerBulk: number;
  readonly buffers: readonly ProgramBuffers[];
  /** `firstLane[rank]`, N + 1 entries. */
  readonly firstLane: Int32Array;
  /** The id of each lane as `after` and people name it; unique within a rank. */
  readonly laneId: Int32Array;
  /** `firstOp[lane]`, one more than lanes. */
  readonly firstOp: Int32Array;
  readonly ops: OperationTable;
  /** `rounds[step]`: what the step claims per unit link (k-synchronous schedules), 0 for no claim; empty if no step claims any. */
  readonly rounds: readonly number[];
  /**
   * A hint for runtimes and the simulator: within a bulk, a message starts only when both of its ranks have finished their operations of earlier
   * steps. It has no effect on what the plan computes.
   */
  readonly inTurn?: true;
  /** The places that `ops.origin` indexes. */
  readonly origins: readonly SourceRange[];
}

/** Number of operations of a plan. */
export function operationCount(plan: Plan): number {
  return plan.ops.kind.length;
}

export function isSend({ ops }: Plan, operation: number): boolean {
  return ops.kind[operation] === OperationCode.send;
}

export function isReceive({ ops }: Plan, operation: number): boolean {
  return intAt(ops.kind, operation) >= OperationCode.recv;
}

/** Whether an operation combines its operand with what its destination holds, so that it reads what it writes. */
export function isReduction({ ops }: Plan, operation: number): boolean {
  return ops.kind[operation] === OperationCode.reduce || ops.kind[operation] === OperationCode.recvReduce;
}

/** The lane (its row, not its id) and index of an operation. */
export function laneOf({ firstOp }: Plan, operation: number): { readonly lane: number; readonly index: number } {
  const lane = rowOf(operation, firstOp);
  return { lane, index: operation - intAt(firstOp, lane) };
}

/** The rank whose program a lane belongs to. */
export function rankOfLane({ firstLane }: Plan, lane: number): number {
  return rowOf(lane, firstLane);
}

/** The row that an entry belongs to, by bisection: row r has entries `first[r] … first[r + 1] − 1`, and may have none. */
function rowOf(entry: number, first: Int32Array): number {
  let low = 0;
  let high = first.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (intAt(first, middle) <= entry) low = middle;
    else high = middle;
  }
  while (intAt(first, low + 1) <= entry) low++;
  return low;
}

/** How many seconds per bulk a copy that represents computation occupies its chip; undefined for other operations. */
export function computingTime({ ops, bulks }: Plan, operation: number): Seconds | undefined {
  const nanoseconds = ops.nanoseconds?.[operation] ?? -1;
  return nanoseconds < 0 ? undefined : (nanoseconds * 1e-9) / bulks;
}

/** A readable view of one operation; hot loops use the columns. */
export function operationAt(plan: Plan, index: number): Operation {
  const { ops } = plan;
  const after: Dependency[] = [];
  for (let a = intAt(ops.firstAfter, index); a < intAt(ops.firstAfter, index + 1); a++) {
    const target = laneOf(plan, intAt(ops.afterOp, a));
    after.push({ lane: intAt(plan.laneId, target.lane), index: target.index, bulks: intAt(ops.afterBulks, a) });
  }
  const common = { step: intAt(ops.step, index), after, origin: plan.origins[intAt(ops.origin, index)] };
  const connection = { peer: intAt(ops.peer, index), channel: intAt(ops.channel, index) };
  const order: OperandOrder = ops.receivedFirst[index] === 1 ? 'received-first' : 'held-first';
  const kind = itemAt(operationKinds, intAt(ops.kind, index));
  switch (kind) {
    case 'copy': {
      const nanoseconds = ops.nanoseconds?.[index] ?? -1;
      const slices = { src: sourceSlice(ops, index), dst: destinationSlice(ops, index) };
      return { op: kind, ...slices, ...(nanoseconds < 0 ? {} : { nanoseconds }), ...common };
    }
    case 'reduce':
      return { op: kind, src: sourceSlice(ops, index), dst: destinationSlice(ops, index), order, ...common };
    case 'send':
      return { op: kind, ...connection, src: sourceSlice(ops, index), ...common };
    case 'recv':
      return { op: kind, ...connection, dst: destinationSlice(ops, index), ...common };
    case 'recvReduce':
      return { op: kind, ...connection, dst: destinationSlice(ops, index), order, ...common };
  }
}

function sourceSlice({ srcBuffer, srcOffset, srcCount }: OperationTable, index: number): Slice {
  const buffer = itemAt(planBuffers, intAt(srcBuffer, index));
  return { buffer, offset: intAt(srcOffset, index), count: intAt(srcCount, index) };
}

function destinationSlice({ dstBuffer, dstOffset, dstCount }: OperationTable, index: number): Slice {
  const buffer = itemAt(planBuffers, intAt(dstBuffer, index));
  return { buffer, offset: intAt(dstOffset, index), count: intAt(dstCount, index) };
}

interface NewOperationBase {
  /** The step of the schedule that the operation belongs to. */
  readonly step: number;
  /** The place in a file that the operation was written at. */
  readonly origin?: SourceRange | undefined;
}

interface NewMessageEnd extends NewOperationBase {
  /** The rank at the other end, at least 0. */
  readonly peer: number;
  /** 0 if left out. */
  readonly channel?: number;
}

/**
 * An operation for `PlanBuilder.add`, with exactly the fields that its kind has.
 * @example { kind: 'send', peer: 1, src: { buffer: 'input', offset: 0, count: 1 }, step: 1 }
 */
export type NewOperation =
  | (NewOperationBase & {
      readonly kind: 'copy';
      readonly src: Slice;
      readonly dst: Slice;
      /** For a copy that represents computation: its nanoseconds for all bulks together. */
      readonly nanoseconds?: number | undefined;
    })
  | (NewOperationBase & {
      readonly kind: 'reduce';
      readonly src: Slice;
      readonly dst: Slice;
      /** `held-first` if left out. */
      readonly order?: OperandOrder;
    })
  | (NewMessageEnd & { readonly kind: 'send'; readonly src: Slice })
  | (NewMessageEnd & { readonly kind: 'recv'; readonly dst: Slice })
  | (NewMessageEnd & {
      readonly kind: 'recvReduce';
      readonly dst: Slice;
      /** `held-first` if left out. */
      readonly order?: OperandOrder;
    });

/** The possible fields of an operation whose kind is not yet known to allow them, as files and generators provide them. */
export interface OperationParts extends NewOperationBase {
  readonly peer?: number | undefined;
  readonly channel?: number | undefined;
  readonly src?: Slice | undefined;
  readonly dst?: Slice | undefined;
  readonly order?: OperandOrder | undefined;
  readonly nanoseconds?: number | undefined;
}

/** Builds an operation of a kind from the fields that the kind has, and ignores the others. @throws RangeError if one is missing */
export function operationFrom(kind: OperationKind, parts: OperationParts): NewOperation {
  const { step, origin, channel = 0, order = 'held-first', nanoseconds } = parts;
  const part = <Part>(name: string, value: Part | undefined): Part => {
    if (value === undefined) throw new RangeError(`a ${kind} without ${name}`);
    return value;
  };
  const common = { step, origin };
  switch (kind) {
    case 'copy':
      return { kind, ...common, src: part('src', parts.src), dst: part('dst', parts.dst), nanoseconds };
    case 'reduce':
      return { kind, ...common, src: part('src', parts.src), dst: part('dst', parts.dst), order };
    case 'send':
      return { kind, ...common, peer: part('peer', parts.peer), channel, src: part('src', parts.src) };
    case 'recv':
      return { kind, ...common, peer: part('peer', parts.peer), channel, dst: part('dst', parts.dst) };
    case 'recvReduce':
      return { kind, ...common, peer: part('peer', parts.peer), channel, dst: part('dst', parts.dst), order };
  }
}

/** An operation in the codes of the table. @throws RangeError for a message to or from a negative rank or on a negative channel */
function rowFor(operation: NewOperation): OperationRow {
  const { kind, step, origin } = operation;
  const local = { peer: -1, channel: 0, receivedFirst: 0 };
  const common = { kind: OperationCode[kind], step, origin };
  switch (kind) {
    case 'copy': {
      const { src, dst, nanoseconds } = operation;
      return { ...common, ...local, ...sourceColumns(src), ...destinationColumns(dst), nanoseconds };
    }
    case 'reduce': {
      const { src, dst, order } = operation;
      const receivedFirst = order === 'received-first' ? 1 : 0;
      return { ...common, ...local, receivedFirst, ...sourceColumns(src), ...destinationColumns(dst) };
    }
    case 'send':
      return { ...common, ...local, ...endColumns(operation), ...sourceColumns(operation.src), ...noDestination };
    case 'recv':
      return { ...common, ...local, ...endColumns(operation), ...noSource, ...destinationColumns(operation.dst) };
    case 'recvReduce': {
      const receivedFirst = operation.order === 'received-first' ? 1 : 0;
      return { ...common, ...endColumns(operation), receivedFirst, ...noSource, ...destinationColumns(operation.dst) };
    }
  }
}

const noSource = { srcBuffer: -1, srcOffset: 0, srcCount: 0 } as const;
const noDestination = { dstBuffer: -1, dstOffset: 0, dstCount: 0 } as const;

function sourceColumns({ buffer, offset, count }: Slice): Pick<OperationRow, 'srcBuffer' | 'srcOffset' | 'srcCount'> {
  return { srcBuffer: planBuffers.indexOf(buffer), srcOffset: offset, srcCount: count };
}

function destinationColumns({
  buffer,
  offset,
  count,
}: Slice): Pick<OperationRow, 'dstBuffer' | 'dstOffset' | 'dstCount'> {
  return { dstBuffer: planBuffers.indexOf(buffer), dstOffset: offset, dstCount: count };
}

function endColumns({ peer, channel = 0 }: NewMessageEnd): Pick<OperationRow, 'peer' | 'channel'> {
  const areNumbers = Number.isInteger(peer) && Number.isInteger(channel);
  if (!areNumbers || peer < 0 || channel < 0)
    throw new RangeError(`no message goes to rank ${peer} on channel ${channel}`);
  return { peer, channel };
}

/** The parts of a plan that are not operations. */
export type PlanHeader = Omit<Plan, 'firstLane' | 'laneId' | 'firstOp' | 'ops' | 'origins'>;

/**
 * Builds a plan's tables. Lanes and operations may come in any order; within a lane, operations run in the order
 * they were added, and lanes of a rank stand in the order they were opened. Handles are the builder's own numbers.
 */
export class PlanBuilder {
  private readonly laneRank = new IntColumn();
  private readonly laneId = new IntColumn();
  private readonly rows = new OperationRows();
  private readonly origins = new OriginTable();
  private readonly lengths: number[] = [];

  get operationCount(): number {
    return this.rows.length;
  }

  /** Opens a lane and returns its handle. */
  openLane(rank: number, id: number): number {
    this.laneRank.push(rank);
    this.laneId.push(id);
    this.lengths.push(0);
    return this.lengths.length - 1;
  }

  /** Appends an operation to a lane and returns its handle. */
  add(lane: number, operation: NewOperation): number {
    return this.addRow(lane, rowFor(operation));
  }

  /** As `add` for an encoded operation, which is not validated. */
  addRow(lane: number, row: OperationRow): number {
    this.lengths[lane] = itemAt(this.lengths, lane) + 1;
    return this.rows.add(lane, row, this.origins.indexOf(row.origin));
  }

  /** Makes an operation wait for another of the same rank, `bulks` bulks earlier. */
  wait(operation: number, dependency: number, bulks = 0): void {
    this.rows.wait(operation, dependency, bulks);
  }

  /** Makes a receive take its message only when a later send of its lane has room. */
  relay(receive: number, send: number): void {
    this.rows.relay(receive, send);
  }

  /** Builds the plan, with lanes sorted by rank and operations by lane. @param header `buffers` has one entry per rank */
  build(header: PlanHeader): Plan {
    const lanes = this.lengths.length;
    const laneOrder = Array.from({ length: lanes }, (_, lane) => lane);
    laneOrder.sort((a, b) => this.laneRank.at(a) - this.laneRank.at(b) || a - b);
    const firstLane = new Int32Array(header.buffers.length + 1);
    const firstOp = new Int32Array(lanes + 1);
    const nextInLane = new Int32Array(lanes);
    const laneId = new Int32Array(lanes);
    laneOrder.forEach((lane, row) => {
      firstLane[this.laneRank.at(lane) + 1] = intAt(firstLane, this.laneRank.at(lane) + 1) + 1;
      firstOp[row + 1] = intAt(firstOp, row) + itemAt(this.lengths, lane);
      nextInLane[lane] = intAt(firstOp, row);
      laneId[row] = this.laneId.at(lane);
    });
    for (let rank = 0; rank < header.buffers.length; rank++)
      firstLane[rank + 1] = intAt(firstLane, rank + 1) + intAt(firstLane, rank);
    const ops = this.rows.table(nextInLane);
    return { ...header, firstLane, laneId, firstOp, ops, origins: this.origins.ranges };
  }
}

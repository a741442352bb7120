/**
 * A plan: per-rank programs with explicit buffers, channels and dependencies: what a runtime runs (design.md §6).
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
import type { OperandOrder } from './schedule.ts';

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
  | ({ readonly op: 'copy'; readonly src: Slice; readonly dst: Slice } & CommonFields)
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

/** Operations in columns; a row is one operation. */
export interface OperationTable {
  readonly kind: Int32Array;
  /** −1 for local operations. */
  readonly peer: Int32Array;
  readonly channel: Int32Array;
  /** Buffer code, first chunk and count of the source; buffer −1 for receives. */
  readonly srcBuffer: Int32Array;
  readonly srcOffset: Int32Array;
  readonly srcCount: Int32Array;
  /** Likewise for the destination; buffer −1 for sends. */
  readonly dstBuffer: Int32Array;
  readonly dstOffset: Int32Array;
  readonly dstCount: Int32Array;
  /** 1 when the incoming operand of a reduction comes first (src ⊕ dst). */
  readonly receivedFirst: Int32Array;
  readonly step: Int32Array;
  /** Index into the plan's `origins`, −1 for none. */
  readonly origin: Int32Array;
  readonly firstAfter: Int32Array;
  readonly afterOp: Int32Array;
  readonly afterBulks: Int32Array;
  /**
   * For a receive that takes its message only when a later send of its lane has room: that send; −1 otherwise. Runtimes with fused
   * operations do so; a plan's JSON cannot say it.
   */
  readonly relay: Int32Array;
}

/** Chunks of each buffer that a program declares; `scratch` counts one bulk's copy. */
export interface ProgramBuffers {
  readonly input: number;
  readonly output: number;
  readonly scratch: number;
}

/** What was asked for when the plan was made: which engine, from which inputs, with which seed. */
export interface PlanOrigin {
  readonly engine: string;
  readonly schedule: string;
  readonly [detail: string]: string | number | boolean | readonly number[];
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
  /** The places that `ops.origin` indexes. */
  readonly origins: readonly SourceRange[];
}

/** Number of operations of a plan. */
export function operationCount(plan: Plan): number {
  return plan.ops.kind.length;
}

/** The lane (its row, not its id) and index of an operation, found by bisection. */
export function laneOf(plan: Plan, operation: number): { readonly lane: number; readonly index: number } {
  let low = 0;
  let high = plan.laneId.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (plan.firstOp[middle] <= operation) low = middle;
    else high = middle;
  }
  while (plan.firstOp[low + 1] <= operation) low++;
  return { lane: low, index: operation - plan.firstOp[low] };
}

/** The rank whose program a lane belongs to, found by bisection. */
export function rankOfLane(plan: Plan, lane: number): number {
  let low = 0;
  let high = plan.firstLane.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (plan.firstLane[middle] <= lane) low = middle;
    else high = middle;
  }
  while (plan.firstLane[low + 1] <= lane) low++;
  return low;
}

/** A readable view of one operation; hot loops use the columns. */
export function operationAt(plan: Plan, index: number): Operation {
  const { ops } = plan;
  const after: Dependency[] = [];
  for (let a = ops.firstAfter[index]; a < ops.firstAfter[index + 1]; a++) {
    const target = laneOf(plan, ops.afterOp[a]);
    after.push({ lane: plan.laneId[target.lane], index: target.index, bulks: ops.afterBulks[a] });
  }
  const common = { step: ops.step[index], after, origin: plan.origins[ops.origin[index]] };
  const src = { buffer: planBuffers[ops.srcBuffer[index]], offset: ops.srcOffset[index], count: ops.srcCount[index] };
  const dst = { buffer: planBuffers[ops.dstBuffer[index]], offset: ops.dstOffset[index], count: ops.dstCount[index] };
  const connection = { peer: ops.peer[index], channel: ops.channel[index] };
  const order: OperandOrder = ops.receivedFirst[index] === 1 ? 'received-first' : 'held-first';
  const kind = operationKinds[ops.kind[index]];
  switch (kind) {
    case 'copy':
      return { op: kind, src, dst, ...common };
    case 'reduce':
      return { op: kind, src, dst, order, ...common };
    case 'send':
      return { op: kind, ...connection, src, ...common };
    case 'recv':
      return { op: kind, ...connection, dst, ...common };
    case 'recvReduce':
      return { op: kind, ...connection, dst, order, ...common };
  }
}

/** What a builder needs to know of an operation; fields that its kind does not have stay undefined. */
export interface NewOperation {
  readonly kind: OperationKind;
  readonly peer?: number;
  readonly channel?: number;
  readonly src?: Slice;
  readonly dst?: Slice;
  readonly order?: OperandOrder;
  readonly step: number;
  readonly origin?: SourceRange | undefined;
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
  private readonly lane = new IntColumn();
  private readonly columns = {
    kind: new IntColumn(),
    peer: new IntColumn(),
    channel: new IntColumn(),
    srcBuffer: new IntColumn(),
    srcOffset: new IntColumn(),
    srcCount: new IntColumn(),
    dstBuffer: new IntColumn(),
    dstOffset: new IntColumn(),
    dstCount: new IntColumn(),
    receivedFirst: new IntColumn(),
    step: new IntColumn(),
    origin: new IntColumn(),
  };
  private readonly waiting = new IntColumn();
  private readonly waitedFor = new IntColumn();
  private readonly waitedBulks = new IntColumn();
  private readonly relaying = new IntColumn();
  private readonly relayedBy = new IntColumn();
  private readonly origins = new OriginTable();
  private readonly lengths: number[] = [];

  get operationCount(): number {
    return this.lane.length;
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
    const { columns } = this;
    this.lane.push(lane);
    this.lengths[lane]++;
    columns.kind.push(operationKinds.indexOf(operation.kind));
    columns.peer.push(operation.peer ?? -1);
    columns.channel.push(operation.channel ?? 0);
    columns.srcBuffer.push(operation.src === undefined ? -1 : planBuffers.indexOf(operation.src.buffer));
    columns.srcOffset.push(operation.src?.offset ?? 0);
    columns.srcCount.push(operation.src?.count ?? 0);
    columns.dstBuffer.push(operation.dst === undefined ? -1 : planBuffers.indexOf(operation.dst.buffer));
    columns.dstOffset.push(operation.dst?.offset ?? 0);
    columns.dstCount.push(operation.dst?.count ?? 0);
    columns.receivedFirst.push(operation.order === 'received-first' ? 1 : 0);
    columns.step.push(operation.step);
    columns.origin.push(this.origins.indexOf(operation.origin));
    return this.lane.length - 1;
  }

  /** Makes an operation wait for another of the same rank, `bulks` bulks earlier. */
  wait(operation: number, dependency: number, bulks = 0): void {
    this.waiting.push(operation);
    this.waitedFor.push(dependency);
    this.waitedBulks.push(bulks);
  }

  /** Makes a receive take its message only when a later send of its lane has room. */
  relay(receive: number, send: number): void {
    this.relaying.push(receive);
    this.relayedBy.push(send);
  }

  /** Puts everything in its final order; `header.buffers` has one entry per rank. */
  build(header: PlanHeader): Plan {
    const lanes = this.lengths.length;
    const laneOrder = Array.from({ length: lanes }, (_, lane) => lane);
    laneOrder.sort((a, b) => this.laneRank.at(a) - this.laneRank.at(b) || a - b);
    const firstLane = new Int32Array(header.buffers.length + 1);
    const firstOp = new Int32Array(lanes + 1);
    const nextInLane = new Int32Array(lanes);
    const laneId = new Int32Array(lanes);
    laneOrder.forEach((lane, row) => {
      firstLane[this.laneRank.at(lane) + 1]++;
      firstOp[row + 1] = firstOp[row] + this.lengths[lane];
      nextInLane[lane] = firstOp[row];
      laneId[row] = this.laneId.at(lane);
    });
    for (let rank = 0; rank < header.buffers.length; rank++) firstLane[rank + 1] += firstLane[rank];
    const place = new Int32Array(this.lane.length);
    for (let handle = 0; handle < place.length; handle++) place[handle] = nextInLane[this.lane.at(handle)]++;
    return { ...header, firstLane, laneId, firstOp, ops: this.orderedTable(place), origins: this.origins.ranges };
  }

  private orderedTable(place: Int32Array): OperationTable {
    const ordered = (column: IntColumn): Int32Array => {
      const result = new Int32Array(place.length);
      for (let handle = 0; handle < place.length; handle++) result[place[handle]] = column.at(handle);
      return result;
    };
    const firstAfter = new Int32Array(place.length + 1);
    for (let w = 0; w < this.waiting.length; w++) firstAfter[place[this.waiting.at(w)] + 1]++;
    for (let o = 0; o < place.length; o++) firstAfter[o + 1] += firstAfter[o];
    const next = firstAfter.slice();
    const afterOp = new Int32Array(this.waiting.length);
    const afterBulks = new Int32Array(this.waiting.length);
    for (let w = 0; w < this.waiting.length; w++) {
      const at = next[place[this.waiting.at(w)]]++;
      afterOp[at] = place[this.waitedFor.at(w)];
      afterBulks[at] = this.waitedBulks.at(w);
    }
    const relay = new Int32Array(place.length).fill(-1);
    for (let r = 0; r < this.relaying.length; r++) relay[place[this.relaying.at(r)]] = place[this.relayedBy.at(r)];
    const { columns } = this;
    return {
      kind: ordered(columns.kind),
      peer: ordered(columns.peer),
      channel: ordered(columns.channel),
      srcBuffer: ordered(columns.srcBuffer),
      srcOffset: ordered(columns.srcOffset),
      srcCount: ordered(columns.srcCount),
      dstBuffer: ordered(columns.dstBuffer),
      dstOffset: ordered(columns.dstOffset),
      dstCount: ordered(columns.dstCount),
      receivedFirst: ordered(columns.receivedFirst),
      step: ordered(columns.step),
      origin: ordered(columns.origin),
      firstAfter,
      afterOp,
      afterBulks,
      relay,
    };
  }
}

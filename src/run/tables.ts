/** The tables of a plan for the runtime, with both ends of every message, in memory that threads share. */
import type { Plan } from '../ir/plan.ts';
import { type Connections, PlanIndex } from '../ir/plan-index.ts';
import { findGuards } from './guards.ts';

/** Columns by operation unless said otherwise. Columns with the names of `Plan` and `OperationTable` have the same meaning. */
export interface RunTables {
  readonly bulks: number;
  readonly firstLane: Int32Array;
  readonly firstOp: Int32Array;
  readonly kind: Int32Array;
  readonly srcBuffer: Int32Array;
  readonly srcOffset: Int32Array;
  readonly srcCount: Int32Array;
  readonly dstBuffer: Int32Array;
  readonly dstOffset: Int32Array;
  readonly dstCount: Int32Array;
  readonly receivedFirst: Int32Array;
  readonly firstAfter: Int32Array;
  readonly afterOp: Int32Array;
  readonly afterBulks: Int32Array;
  /** Lane (row) and rank of each operation. */
  readonly laneOf: Int32Array;
  readonly rankOf: Int32Array;
  /** The connection of a send or receive, −1 for local operations, and the number of its message within a bulk, from 0. */
  readonly connection: Int32Array;
  readonly ordinal: Int32Array;
  /** The matching receive of a send and the matching send of a receive; −1 for local operations. */
  readonly partner: Int32Array;
  /** Per connection: messages of one bulk. */
  readonly messages: Int32Array;
  /**
   * The sends whose source an operation overwrites: operation o waits until each send `guardSend[firstGuard[o] … firstGuard[o + 1] − 1]`, `guardLag`
   * bulks earlier, is delivered, if it has been sent.
   */
  readonly firstGuard: Int32Array;
  readonly guardSend: Int32Array;
  readonly guardLag: Int32Array;
}

/** The tables of a plan whose messages all match (the verifier's first two checks). */
export function runTables(plan: Plan): RunTables {
  const { ops, firstLane, firstOp, bulks } = plan;
  const { laneOf, rankOf, connections } = PlanIndex.of(plan);
  const guards = findGuards(plan, rankOf);
  return {
    bulks,
    firstLane: shared(firstLane),
    firstOp: shared(firstOp),
    kind: shared(ops.kind),
    srcBuffer: shared(ops.srcBuffer),
    srcOffset: shared(ops.srcOffset),
    srcCount: shared(ops.srcCount),
    dstBuffer: shared(ops.dstBuffer),
    dstOffset: shared(ops.dstOffset),
    dstCount: shared(ops.dstCount),
    receivedFirst: shared(ops.receivedFirst),
    firstAfter: shared(ops.firstAfter),
    afterOp: shared(ops.afterOp),
    afterBulks: shared(ops.afterBulks),
    laneOf: shared(laneOf),
    rankOf: shared(rankOf),
    connection: shared(connections.of),
    ordinal: shared(connections.ordinal),
    partner: shared(connections.partner),
    messages: shared(messagesOf(connections)),
    firstGuard: shared(guards.first),
    guardSend: shared(guards.send),
    guardLag: shared(guards.lag),
  };
}

/** A copy in shared memory. */
function shared(numbers: Int32Array): Int32Array {
  const copy = new Int32Array(new SharedArrayBuffer(numbers.byteLength));
  copy.set(numbers);
  return copy;
}

/** By connection: the messages of one bulk. */
function messagesOf({ count, firstSend }: Connections): Int32Array {
  return Int32Array.from({ length: count }, (_, connection) => firstSend[connection + 1] - firstSend[connection]);
}

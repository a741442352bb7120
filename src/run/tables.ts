/** A plan's tables as the runtime reads them: with every message's two ends found, in memory that threads share. */
import { OperationCode, operationCount, type Plan } from '../ir/plan.ts';
import { findGuards } from './guards.ts';

/** Columns by operation unless said otherwise; see `Plan` and `OperationTable` for what those of the same name hold. */
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
  /** The connection of a send or receive, −1 for local operations; and which message of a bulk it is there, from 0. */
  readonly connection: Int32Array;
  readonly ordinal: Int32Array;
  /** For a receive: the send that it takes the message of; −1 otherwise. */
  readonly partner: Int32Array;
  /** Per connection: messages of one bulk. */
  readonly messages: Int32Array;
  /**
   * Sends whose source an operation overwrites: it waits for send `guardSend[firstGuard[o] … firstGuard[o + 1] − 1]`, `guardLag` bulks
   * earlier, to be delivered if it has been sent.
   */
  readonly firstGuard: Int32Array;
  readonly guardSend: Int32Array;
  readonly guardLag: Int32Array;
}

/** The tables of a plan whose messages all match (rungs 1 and 2 of the verifier). */
export function runTables(plan: Plan): RunTables {
  const { ops, firstLane, firstOp, bulks } = plan;
  const total = operationCount(plan);
  const laneOf = new Int32Array(total);
  const rankOf = new Int32Array(total);
  for (let rank = 0; rank + 1 < firstLane.length; rank++) {
    for (let lane = firstLane[rank]; lane < firstLane[rank + 1]; lane++) {
      laneOf.fill(lane, firstOp[lane], firstOp[lane + 1]);
      rankOf.fill(rank, firstOp[lane], firstOp[lane + 1]);
    }
  }
  const messages = findMessages(plan, rankOf);
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
    connection: shared(messages.connection),
    ordinal: shared(messages.ordinal),
    partner: shared(messages.partner),
    messages: shared(messages.perBulk),
    firstGuard: shared(guards.first),
    guardSend: shared(guards.send),
    guardLag: shared(guards.lag),
  };
}

/** The same numbers where other threads see them. */
function shared(numbers: Int32Array): Int32Array {
  const copy = new Int32Array(new SharedArrayBuffer(numbers.byteLength));
  copy.set(numbers);
  return copy;
}

interface Messages {
  readonly connection: Int32Array;
  readonly ordinal: Int32Array;
  readonly partner: Int32Array;
  readonly perBulk: Int32Array;
}

/** Numbers connections by (sender, receiver, channel); the k-th send of one meets its k-th receive. */
function findMessages({ ops, buffers }: Plan, rankOf: Int32Array): Messages {
  const total = rankOf.length;
  const connection = new Int32Array(total).fill(-1);
  const ordinal = new Int32Array(total);
  const partner = new Int32Array(total).fill(-1);
  const numbers = new Map<string, number>();
  const sends: number[][] = [];
  const receives: number[][] = [];
  for (let o = 0; o < total; o++) {
    if (ops.kind[o] < OperationCode.send) continue;
    const isSend = ops.kind[o] === OperationCode.send;
    const [from, to] = isSend ? [rankOf[o], ops.peer[o]] : [ops.peer[o], rankOf[o]];
    const key = `${from * buffers.length + to} ${ops.channel[o]}`;
    let number = numbers.get(key);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(key, number);
      sends.push([]);
      receives.push([]);
    }
    connection[o] = number;
    ordinal[o] = (isSend ? sends : receives)[number].push(o) - 1;
  }
  receives.forEach((list, number) => {
    list.forEach((receive, k) => {
      partner[receive] = sends[number][k];
    });
  });
  return { connection, ordinal, partner, perBulk: Int32Array.from(sends, (list) => list.length) };
}

/** Compact plans written out: every rank's program, as a plan like any other. */
import { type CompactPlan, shiftedShard } from './compact.ts';
import { type OperationTable, type Plan, planBuffers } from './plan.ts';
import { TranslationGroup } from './translation-group.ts';

/**
 * The full plan of a compact one, which has N times as many operations: how many fit is for the caller to know. Peers and shards must be
 * in range.
 */
export function expandCompact(compact: CompactPlan): Plan {
  const { shape, sharded: _, buffers, ops, laneId, firstOp, collective, ...rest } = compact;
  const group = new TranslationGroup(shape);
  const { ranks } = collective;
  const operations = ops.kind.length;
  const repeated = (column: Int32Array): Int32Array => {
    const all = new Int32Array(column.length * ranks);
    for (let rank = 0; rank < ranks; rank++) all.set(column, rank * column.length);
    return all;
  };
  /** A column of `stride` entries per rank, and one more, each rank's moved on by so much. */
  const cumulative = (column: Int32Array, stride: number): Int32Array => {
    const all = new Int32Array((column.length - 1) * ranks + 1);
    for (let rank = 0; rank < ranks; rank++) {
      for (let i = 0; i < column.length; i++) all[rank * (column.length - 1) + i] = column[i] + rank * stride;
    }
    return all;
  };
  const peer = repeated(ops.peer);
  const [srcOffset, dstOffset] = [repeated(ops.srcOffset), repeated(ops.dstOffset)];
  const afterOp = repeated(ops.afterOp);
  const shards = planBuffers.map((buffer) => shiftedShard(compact, buffer));
  for (let rank = 0; rank < ranks; rank++) {
    const shift = group.translation(rank);
    const slot = (code: number, offset: number): number => {
      const chunks = shards[code];
      if (chunks === undefined) return offset;
      const shard = Math.floor(offset / chunks);
      return shift(shard) * chunks + (offset - shard * chunks);
    };
    for (let o = 0, at = rank * operations; o < operations; o++, at++) {
      if (ops.peer[o] >= 0) peer[at] = shift(ops.peer[o]);
      srcOffset[at] = slot(ops.srcBuffer[o], ops.srcOffset[o]);
      dstOffset[at] = slot(ops.dstBuffer[o], ops.dstOffset[o]);
    }
    for (let a = 0, at = rank * ops.afterOp.length; a < ops.afterOp.length; a++, at++) {
      afterOp[at] = ops.afterOp[a] + rank * operations;
    }
  }
  const table: OperationTable = {
    kind: repeated(ops.kind),
    peer,
    channel: repeated(ops.channel),
    srcBuffer: repeated(ops.srcBuffer),
    srcOffset,
    srcCount: repeated(ops.srcCount),
    dstBuffer: repeated(ops.dstBuffer),
    dstOffset,
    dstCount: repeated(ops.dstCount),
    receivedFirst: repeated(ops.receivedFirst),
    step: repeated(ops.step),
    origin: repeated(ops.origin),
    firstAfter: cumulative(ops.firstAfter, ops.afterOp.length),
    afterOp,
    afterBulks: repeated(ops.afterBulks),
    relay: new Int32Array(operations * ranks).fill(-1),
  };
  return {
    ...rest,
    collective,
    buffers: Array.from({ length: ranks }, () => buffers),
    firstLane: Int32Array.from({ length: ranks + 1 }, (_, rank) => rank * laneId.length),
    laneId: repeated(laneId),
    firstOp: cumulative(firstOp, operations),
    ops: table,
    rounds: [],
  };
}

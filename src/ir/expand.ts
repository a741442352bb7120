/** Compact plans written out: every rank's program, as a plan like any other. */
import { type CompactPlan, shiftedShard } from './compact.ts';
import { type OperationTable, type Plan, planBuffers } from './plan.ts';
import { TranslationGroup } from './translation-group.ts';

/**
 * The full plan of a compact one, which has N times as many operations: how many fit is for the caller to know. Peers and shards must be
 * in range.
 */
export function expandCompact(compact: CompactPlan): Plan {
  const { shape: _shape, sharded: _, buffers, ops, laneId, firstOp, collective, ...rest } = compact;
  const { ranks } = collective;
  const operations = ops.kind.length;
  const table: OperationTable = {
    ...shiftedOperands(compact),
    kind: repeated(ops.kind, ranks),
    channel: repeated(ops.channel, ranks),
    srcBuffer: repeated(ops.srcBuffer, ranks),
    srcCount: repeated(ops.srcCount, ranks),
    dstBuffer: repeated(ops.dstBuffer, ranks),
    dstCount: repeated(ops.dstCount, ranks),
    receivedFirst: repeated(ops.receivedFirst, ranks),
    step: repeated(ops.step, ranks),
    origin: repeated(ops.origin, ranks),
    firstAfter: cumulative(ops.firstAfter, ranks, ops.afterOp.length),
    afterOp: repeated(ops.afterOp, ranks, operations),
    afterBulks: repeated(ops.afterBulks, ranks),
    relay: new Int32Array(operations * ranks).fill(-1),
  };
  return {
    ...rest,
    collective,
    buffers: Array.from({ length: ranks }, () => buffers),
    firstLane: Int32Array.from({ length: ranks + 1 }, (_, rank) => rank * laneId.length),
    laneId: repeated(laneId, ranks),
    firstOp: cumulative(firstOp, ranks, operations),
    ops: table,
    rounds: [],
  };
}

/** A column once for each rank, each rank's moved on by so much more than the one's before. */
function repeated(column: Int32Array, ranks: number, stride = 0): Int32Array {
  const all = new Int32Array(column.length * ranks);
  for (let rank = 0; rank < ranks; rank++) {
    all.set(stride === 0 ? column : column.map((entry) => entry + rank * stride), rank * column.length);
  }
  return all;
}

/** The same for a column with one entry more than it has rows: where the last of a rank ends the first of the next begins. */
function cumulative(column: Int32Array, ranks: number, stride: number): Int32Array {
  const rows = column.length - 1;
  const all = new Int32Array(rows * ranks + 1);
  for (let rank = 0; rank < ranks; rank++) {
    for (let i = 0; i < column.length; i++) all[rank * rows + i] = column[i] + rank * stride;
  }
  return all;
}

/** Peers and slots as each rank names them. */
function shiftedOperands(compact: CompactPlan): Pick<OperationTable, 'peer' | 'srcOffset' | 'dstOffset'> {
  const { shape, ops, collective } = compact;
  const { ranks } = collective;
  const group = new TranslationGroup(shape);
  const operations = ops.kind.length;
  const peer = repeated(ops.peer, ranks);
  const srcOffset = new Int32Array(operations * ranks);
  const dstOffset = new Int32Array(operations * ranks);
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
  }
  return { peer, srcOffset, dstOffset };
}

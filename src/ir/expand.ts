/** Expands compact plans: every rank gets its program written out, in an ordinary plan. */

import { type CompactPlan, shiftedShard } from './compact.ts';
import { intAt, itemAt } from './indexing.ts';
import { type OperationTable, type Plan, planBuffers } from './plan.ts';
import { TranslationGroup } from './translation-group.ts';

/**
 * Expands a compact plan to the full plan, which has N times as many operations.
 * The caller must check beforehand that so many operations fit into memory, and that peers and shards are in range.
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

/** N copies of a column, one after the other; `stride` is added to the entries once for the copy of rank 1, twice for that of rank 2, and so on. */
function repeated(column: Int32Array, ranks: number, stride = 0): Int32Array {
  const all = new Int32Array(column.length * ranks);
  for (let rank = 0; rank < ranks; rank++) all.set(column, rank * column.length);
  if (stride === 0) return all;
  for (let rank = 1, at = column.length; rank < ranks; rank++) {
    for (const end = at + column.length; at < end; at++) all[at] = intAt(all, at) + rank * stride;
  }
  return all;
}

/**
 * As `repeated`, for a column of row starts, which has one entry more than rows: the end of the rows of one rank is the start of those of the next.
 */
function cumulative(column: Int32Array, ranks: number, stride: number): Int32Array {
  const rows = column.length - 1;
  const all = new Int32Array(rows * ranks + 1);
  for (let rank = 0; rank < ranks; rank++) {
    for (let i = 0; i < column.length; i++) all[rank * rows + i] = intAt(column, i) + rank * stride;
  }
  return all;
}

/** The columns that differ between ranks: peers, and slots in buffers whose shards shift with the rank. */
function shiftedOperands(compact: CompactPlan): Pick<OperationTable, 'peer' | 'srcOffset' | 'dstOffset'> {
  const { shape, ops, collective } = compact;
  const { ranks } = collective;
  const group = new TranslationGroup(shape);
  const operations = ops.kind.length;
  const peer = repeated(ops.peer, ranks);
  const srcOffset = repeated(ops.srcOffset, ranks);
  const dstOffset = repeated(ops.dstOffset, ranks);
  const source = placesOf(compact, ops.srcBuffer, ops.srcOffset);
  const target = placesOf(compact, ops.dstBuffer, ops.dstOffset);
  for (let rank = 1, at = operations; rank < ranks; rank++, at += operations) {
    const images = group.images(rank);
    for (let o = 0; o < operations; o++) if (intAt(ops.peer, o) >= 0) peer[at + o] = intAt(images, intAt(ops.peer, o));
    shift(source, images, srcOffset.subarray(at, at + operations));
    shift(target, images, dstOffset.subarray(at, at + operations));
  }
  return { peer, srcOffset, dstOffset };
}

/**
 * The operands of rank 0's operations that shift with the rank: the operation, and the shard, the chunks per shard and the offset within the shard of
 * its slot.
 */
interface Places {
  readonly operation: Int32Array;
  readonly shard: Int32Array;
  readonly chunks: Int32Array;
  readonly rest: Int32Array;
}

/** Collects the operands of one column whose buffer has shards that shift with the rank. */
function placesOf(compact: CompactPlan, buffer: Int32Array, offset: Int32Array): Places {
  const chunksOf = planBuffers.map((name) => shiftedShard(compact, name) ?? 0);
  const operation = Int32Array.from(offset.keys()).filter((o) => (chunksOf[intAt(buffer, o)] ?? 0) > 0);
  const chunks = operation.map((o) => itemAt(chunksOf, intAt(buffer, o)));
  const shard = operation.map((o, at) => Math.floor(intAt(offset, o) / intAt(chunks, at)));
  return {
    operation,
    shard,
    chunks,
    rest: operation.map((o, at) => intAt(offset, o) - intAt(shard, at) * intAt(chunks, at)),
  };
}

/**
 * Replaces slots of rank 0's operations by those of another rank. @param images the image of each rank under the translation from rank 0 to that rank
 */
function shift({ operation, shard, chunks, rest }: Places, images: Int32Array, slots: Int32Array): void {
  for (let i = 0; i < operation.length; i++)
    slots[intAt(operation, i)] = intAt(images, intAt(shard, i)) * intAt(chunks, i) + intAt(rest, i);
}

/**
 * A plan with its bulks written out one after the other, since the executor runs a plan once. The operations of all bulks are in lane order, and
 * chunks are divided so that bulk b works on its own part of each shard.
 */
import { memoryLayout } from '../../ir/collective.ts';
import { OperationCode, type Plan, type PlanBuffer, planBuffers, rankOfLane } from '../../ir/plan.ts';
import { PlanIndex } from '../../ir/plan-index.ts';

/** A range of consecutive chunks of a buffer. */
export interface ChunkRow {
  readonly buffer: PlanBuffer;
  readonly index: number;
  readonly size: number;
}

/** A source and a target of equal length, which are moved as one. */
export interface RowPair {
  readonly source: ChunkRow;
  readonly target: ChunkRow;
}

interface Common {
  readonly rank: number;
  /** Index of the lane in the plan. */
  readonly lane: number;
  /** Operations of the same rank that must be done before. */
  readonly after: readonly number[];
  /** The operation before it in its lane, −1 for none. */
  readonly previous: number;
}

/**
 * An operation in one bulk. Sources of sends and targets of receives are listed chunk by chunk, since both ends determine where ranges can be joined.
 */
export type FlatOperation =
  | (Common & { readonly kind: 'copy'; readonly pairs: readonly RowPair[] })
  | (Common & { readonly kind: 'reduce'; readonly pairs: readonly RowPair[]; readonly receivedFirst: boolean })
  | (Common & {
      readonly kind: 'send';
      readonly peer: number;
      readonly channel: number;
      readonly chunks: readonly ChunkRow[];
    })
  | (Common & {
      readonly kind: 'receive';
      readonly peer: number;
      readonly channel: number;
      readonly chunks: readonly ChunkRow[];
      /** Whether the arriving data is added to the target. */
      readonly reduces: boolean;
      readonly receivedFirst: boolean;
    });

export interface FlatPlan {
  readonly operations: readonly FlatOperation[];
  /** The send of a receive, the receive of a send; −1 for other operations. */
  readonly partner: Int32Array;
  /** By rank: the number of chunks of each buffer. */
  readonly buffers: readonly Readonly<Record<PlanBuffer, number>>[];
  /** The cell of a chunk of a rank's memory. In place, input and output overlap. Scratch follows. */
  cell(rank: number, buffer: PlanBuffer, index: number): number;
}

export function flatten(plan: Plan): FlatPlan {
  const { bulks, scratchPerBulk, collective, firstOp, ops } = plan;
  const perBulk = ops.kind.length;
  const idOf = flatIds(plan);
  const operations: FlatOperation[] = new Array(perBulk * bulks);
  for (let lane = 0; lane + 1 < firstOp.length; lane++) {
    const rank = rankOfLane(plan, lane);
    let previous = -1;
    for (let bulk = 0; bulk < bulks; bulk++) {
      for (let op = firstOp[lane]; op < firstOp[lane + 1]; op++) {
        const id = idOf(op, bulk);
        operations[id] = flatOperation(plan, { op, bulk, rank, lane, previous }, idOf);
        previous = id;
      }
    }
  }
  const finer = { ...collective, chunks: collective.chunks * bulks };
  const layouts = plan.buffers.map((_, rank) => memoryLayout(finer, rank));
  return {
    operations,
    partner: partnersOf(plan, idOf),
    buffers: plan.buffers.map(({ input, output, scratch }) => ({
      input: input * bulks,
      output: output * bulks,
      scratch: scratch * Math.min(bulks, scratchPerBulk),
    })),
    cell: (rank, buffer, index) => {
      const { cells, ...first } = layouts[rank];
      return (buffer === 'scratch' ? cells : first[buffer]) + index;
    },
  };
}

/** Numbers the operations rank by rank and lane by lane, bulk after bulk. */
function flatIds(plan: Plan): (op: number, bulk: number) => number {
  const { bulks, firstOp } = plan;
  const { laneOf } = PlanIndex.of(plan);
  return (op, bulk) => {
    const first = firstOp[laneOf[op]];
    const length = firstOp[laneOf[op] + 1] - first;
    return first * bulks + bulk * length + (op - first);
  };
}

interface Instance {
  readonly op: number;
  readonly bulk: number;
  readonly rank: number;
  readonly lane: number;
  readonly previous: number;
}

function flatOperation(plan: Plan, at: Instance, idOf: (op: number, bulk: number) => number): FlatOperation {
  const { ops } = plan;
  const { op, bulk, rank, lane, previous } = at;
  const after: number[] = [];
  for (let a = ops.firstAfter[op]; a < ops.firstAfter[op + 1]; a++) {
    const earlier = bulk - ops.afterBulks[a];
    if (earlier >= 0) after.push(idOf(ops.afterOp[a], earlier));
  }
  const common = { rank, lane, after, previous };
  const chunksOf = (buffer: number, offset: number, count: number): ChunkRow[] =>
    Array.from({ length: count }, (_, i) => ({
      buffer: planBuffers[buffer],
      index: chunkOf(plan, rank, planBuffers[buffer], offset + i, bulk),
      size: 1,
    }));
  const source = chunksOf(ops.srcBuffer[op], ops.srcOffset[op], ops.srcCount[op]);
  const target = chunksOf(ops.dstBuffer[op], ops.dstOffset[op], ops.dstCount[op]);
  const receivedFirst = ops.receivedFirst[op] === 1;
  const connection = { peer: ops.peer[op], channel: ops.channel[op] };
  switch (ops.kind[op]) {
    case OperationCode.copy:
      return { ...common, kind: 'copy', pairs: pairsOf(source, target) };
    case OperationCode.reduce:
      return { ...common, kind: 'reduce', pairs: pairsOf(source, target), receivedFirst };
    case OperationCode.send:
      return { ...common, ...connection, kind: 'send', chunks: source };
    default: {
      const reduces = ops.kind[op] === OperationCode.recvReduce;
      return { ...common, ...connection, kind: 'receive', chunks: target, reduces, receivedFirst };
    }
  }
}

/** Maps a chunk of the plan to its chunk in the flat plan: bulk b has the b-th part of each shard, and its own copy of scratch. */
function chunkOf(plan: Plan, rank: number, buffer: PlanBuffer, chunk: number, bulk: number): number {
  const { bulks, scratchPerBulk, collective, buffers } = plan;
  if (buffer === 'scratch') return (bulk % scratchPerBulk) * buffers[rank].scratch + chunk;
  const { chunks } = collective;
  const shard = Math.floor(chunk / chunks);
  return shard * chunks * bulks + bulk * chunks + (chunk % chunks);
}

/** Joins chunks that are consecutive at both ends. */
export function pairsOf(source: readonly ChunkRow[], target: readonly ChunkRow[]): readonly RowPair[] {
  const pairs: RowPair[] = [];
  source.forEach((from, i) => {
    const to = target[i];
    const last = pairs.at(-1);
    if (last !== undefined && continues(last.source, from) && continues(last.target, to)) {
      pairs[pairs.length - 1] = { source: longer(last.source), target: longer(last.target) };
    } else pairs.push({ source: from, target: to });
  });
  return pairs;
}

const continues = (row: ChunkRow, next: ChunkRow): boolean =>
  row.buffer === next.buffer && row.index + row.size === next.index;
const longer = (row: ChunkRow): ChunkRow => ({ ...row, size: row.size + 1 });

/** By flat operation: the other end of its message, which belongs to the same bulk; −1 for local operations. */
function partnersOf(plan: Plan, idOf: (op: number, bulk: number) => number): Int32Array {
  const { partner } = PlanIndex.of(plan).connections;
  const flat = new Int32Array(partner.length * plan.bulks).fill(-1);
  for (let bulk = 0; bulk < plan.bulks; bulk++) {
    partner.forEach((other, op) => {
      if (other >= 0) flat[idOf(op, bulk)] = idOf(other, bulk);
    });
  }
  return flat;
}

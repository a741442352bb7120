/**
 * A plan with its bulks written one after the other, as the executor runs a plan once: operations of all bulks in lane order,
 * chunks divided so that bulk b works on its own part of each shard.
 */
import { memoryLayout } from '../../ir/collective.ts';
import { OperationCode, type Plan, type PlanBuffer, planBuffers, rankOfLane } from '../../ir/plan.ts';

/** Chunks that lie together in a buffer. */
export interface ChunkRow {
  readonly buffer: PlanBuffer;
  readonly index: number;
  readonly size: number;
}

/** Rows that are moved as one, source and target alike long. */
export interface RowPair {
  readonly source: ChunkRow;
  readonly target: ChunkRow;
}

interface Common {
  readonly rank: number;
  /** Row of the plan's lanes. */
  readonly lane: number;
  /** Operations of the same rank that must be done before. */
  readonly after: readonly number[];
  /** The operation before it in its lane, −1 for none. */
  readonly previous: number;
}

/** An operation in one bulk. Sources of sends and targets of receives are chunk by chunk, since both ends decide where rows end. */
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
      /** Adds to what is there. */
      readonly reduces: boolean;
      readonly receivedFirst: boolean;
    });

export interface FlatPlan {
  readonly operations: readonly FlatOperation[];
  /** By receive: its send; by send: its receive; −1 for others. */
  readonly partner: Int32Array;
  /** Chunks of each buffer of each rank. */
  readonly buffers: readonly Readonly<Record<PlanBuffer, number>>[];
  /** The cell of a chunk of a rank's input or output; in place they overlap. Scratch lies behind them. */
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
    partner: partnersOf(operations),
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

/** Numbers rank by rank and lane by lane, bulk after bulk. */
function flatIds({ bulks, firstOp, ops }: Plan): (op: number, bulk: number) => number {
  const laneOfOp = new Int32Array(ops.kind.length);
  for (let lane = 0; lane + 1 < firstOp.length; lane++) laneOfOp.fill(lane, firstOp[lane], firstOp[lane + 1]);
  return (op, bulk) => {
    const first = firstOp[laneOfOp[op]];
    const length = firstOp[laneOfOp[op] + 1] - first;
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

/** Bulk b has the b-th part of each shard, and its own copy of scratch. */
function chunkOf(plan: Plan, rank: number, buffer: PlanBuffer, chunk: number, bulk: number): number {
  const { bulks, scratchPerBulk, collective, buffers } = plan;
  if (buffer === 'scratch') return (bulk % scratchPerBulk) * buffers[rank].scratch + chunk;
  const { chunks } = collective;
  const shard = Math.floor(chunk / chunks);
  return shard * chunks * bulks + bulk * chunks + (chunk % chunks);
}

/** Chunks put together to rows where both sides lie together. */
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

/** The k-th send of a connection goes with its k-th receive. */
function partnersOf(operations: readonly FlatOperation[]): Int32Array {
  const partner = new Int32Array(operations.length).fill(-1);
  const sends = new Map<string, number[]>();
  operations.forEach((operation, id) => {
    if (operation.kind !== 'send') return;
    const key = `${operation.rank} ${operation.peer} ${operation.channel}`;
    const list = sends.get(key);
    if (list === undefined) sends.set(key, [id]);
    else list.push(id);
  });
  const taken = new Map<string, number>();
  operations.forEach((operation, id) => {
    if (operation.kind !== 'receive') return;
    const key = `${operation.peer} ${operation.rank} ${operation.channel}`;
    const next = taken.get(key) ?? 0;
    taken.set(key, next + 1);
    const send = sends.get(key)?.[next];
    if (send === undefined) throw new Error(`a receive of rank ${operation.rank} has no send, and the plan was proved`);
    partner[id] = send;
    partner[send] = id;
  });
  return partner;
}

/** The programs of ranks in the representation of this emitter: operations with the fields of all kinds, lanes identified by their index. */
import { type OperationKind, operationAt, type Plan, type Slice } from '../../ir/plan.ts';

export interface LaneOperation {
  readonly op: OperationKind;
  readonly step: number;
  /** The peer of a message; undefined for local operations. */
  readonly peer: number | undefined;
  readonly channel: number | undefined;
  readonly src: Slice | undefined;
  readonly dst: Slice | undefined;
  readonly incomingFirst: boolean;
  /** The operations for which it waits. `lane` is an index of the rank's lanes. */
  readonly after: readonly { readonly lane: number; readonly index: number; readonly bulks: number }[];
}

export type EmittedLane = readonly LaneOperation[];

/** The number of consecutive chunks of input and output that belong to each rank, if every rank has such a block. */
export interface OwnChunks {
  readonly input?: number;
  readonly output?: number;
}

/** The lanes of a rank. */
export function lanesOf(plan: Plan, rank: number): readonly EmittedLane[] {
  const first = plan.firstLane[rank];
  const rows = new Map<number, number>();
  for (let lane = first; lane < plan.firstLane[rank + 1]; lane++) rows.set(plan.laneId[lane], lane - first);
  return Array.from({ length: rows.size }, (_, row) => {
    const start = plan.firstOp[first + row];
    return Array.from({ length: plan.firstOp[first + row + 1] - start }, (_, index) =>
      laneOperation(plan, start + index, rows),
    );
  });
}

function laneOperation(plan: Plan, index: number, rows: ReadonlyMap<number, number>): LaneOperation {
  const operation = operationAt(plan, index);
  return {
    op: operation.op,
    step: operation.step,
    peer: 'peer' in operation ? operation.peer : undefined,
    channel: 'channel' in operation ? operation.channel : undefined,
    src: 'src' in operation ? operation.src : undefined,
    dst: 'dst' in operation ? operation.dst : undefined,
    incomingFirst: 'order' in operation && operation.order === 'received-first',
    after: operation.after.map((wait) => ({ ...wait, lane: rows.get(wait.lane) ?? 0 })),
  };
}

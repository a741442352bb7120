/** Programs as the emitter turns them about: operations with all fields that any kind has, lanes known by their row. */
import { type OperationKind, operationAt, type Plan, type Slice } from '../../ir/plan.ts';

export interface LaneOperation {
  readonly op: OperationKind;
  readonly step: number;
  /** Of messages only. */
  readonly peer: number | undefined;
  readonly channel: number | undefined;
  readonly src: Slice | undefined;
  readonly dst: Slice | undefined;
  readonly incomingFirst: boolean;
  /** `lane` is a row of the rank's lanes. */
  readonly after: readonly { readonly lane: number; readonly index: number; readonly bulks: number }[];
}

export type EmittedLane = readonly LaneOperation[];

/** Chunks of input and output that belong to one rank, where each rank has such a part in them. */
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

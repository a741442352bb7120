/** What an emitted file needs of the machinery around its tables; what its plan does not use is left out. */
import { collectiveFacts } from '../../ir/collective.ts';
import { type Dtype, dtypeBytes } from '../../ir/dtype.ts';
import { OperationCode, type OperationKind, operationKinds, type Plan } from '../../ir/plan.ts';
import type { OpenBundle } from '../emitter.ts';
import { type ElementType, elementTypeOf } from './element-type.ts';

export interface Features {
  readonly plan: Plan;
  readonly element: ElementType;
  readonly dtype: Dtype;
  /** Some operation may combine elements. */
  readonly reduces: boolean;
  readonly operations: ReadonlySet<OperationKind>;
  readonly usesScratch: boolean;
  /** Some operation waits for one of an earlier bulk. */
  readonly waitsAcrossBulks: boolean;
  /**
   * Chunks must all have one size, and those of a bulk lie together: because scratch has slots of one size, because messages span
   * shards of which a bulk has a slice each, or because a plan may write anything into a shard of no bytes.
   */
  readonly evenChunks: boolean;
  /** Elements of which messages have whole multiples; 1 on machines without such a limit. */
  readonly unit: number;
  /** Messages of a connection that may be on their way: no deadlock and no race with so many. */
  readonly inflight: number;
}

export function featuresOf({ plan, verification, topology, dtype = 'f32' }: OpenBundle): Features {
  const element = elementTypeOf(dtype);
  if (element === undefined) throw new Error(`there are no arrays of ${dtype}`);
  const { ops, collective, bulks } = plan;
  const usesScratch = plan.buffers.some(({ scratch }) => scratch > 0);
  const operations = new Set<OperationKind>();
  for (const kind of new Set(ops.kind)) operations.add(operationKinds[kind]);
  return {
    plan,
    element,
    dtype,
    reduces: reducesAnything(plan),
    operations,
    usesScratch,
    waitsAcrossBulks: ops.afterBulks.some((bulk) => bulk > 0),
    evenChunks: usesScratch || (bulks > 1 && spansShards(plan)) || collective.counts?.includes(0) === true,
    unit: Math.max(1, (topology?.messages?.alignment ?? 1) / dtypeBytes[dtype]),
    inflight: verification.inflight ?? Math.max(2, verification.smallestInflight ?? 0),
  };
}

/** Whether the collective has an operator, or the plan one of its own: tokens of a barrier may be combined, whatever comes of that. */
export function reducesAnything({ collective, ops }: Plan): boolean {
  const reduces = (kind: number): boolean => kind === OperationCode.reduce || kind === OperationCode.recvReduce;
  return collectiveFacts[collective.kind].reduces || ops.kind.some(reduces);
}

/** Whether a slice of input or output has chunks of several shards. */
function spansShards({ ops, collective: { chunks } }: Plan): boolean {
  const spans = (buffer: Int32Array, offset: Int32Array, count: Int32Array): boolean =>
    buffer.some(
      (code, o) =>
        (code === 0 || code === 1) &&
        Math.floor(offset[o] / chunks) !== Math.floor((offset[o] + count[o] - 1) / chunks),
    );
  return spans(ops.srcBuffer, ops.srcOffset, ops.srcCount) || spans(ops.dstBuffer, ops.dstOffset, ops.dstCount);
}

/** The features of a plan that determine which parts an emitted file needs; unused parts are left out. */
import { collectiveFacts } from '../../ir/collective.ts';
import { type Dtype, dtypeBytes } from '../../ir/dtype.ts';
import { OperationCode, type OperationKind, operationKinds, type Plan } from '../../ir/plan.ts';
import type { OpenBundle } from '../emitter.ts';
import { type ElementType, elementTypeOf } from './element-type.ts';

export interface Features {
  readonly plan: Plan;
  readonly element: ElementType;
  readonly dtype: Dtype;
  /** Whether any operation may combine elements. */
  readonly reduces: boolean;
  readonly operations: ReadonlySet<OperationKind>;
  readonly usesScratch: boolean;
  /** Whether any operation waits for one of an earlier bulk. */
  readonly waitsAcrossBulks: boolean;
  /**
   * Whether all chunks must have one size, with the chunks of a bulk contiguous. That is so if scratch is used, whose slots have one size, if
   * messages span several shards, of each of which a bulk has a slice, or if a shard may have no bytes, to which a plan may write anything.
   */
  readonly evenChunks: boolean;
  /** The unit of message lengths in elements; 1 on machines without such a limit. */
  readonly unit: number;
  /** Messages that a connection may buffer: the plan has been proved free of deadlocks and races for that number. */
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

/** Whether the collective has an operator, or the plan reduces all the same: a barrier may combine tokens with any operator. */
export function reducesAnything({ collective, ops }: Plan): boolean {
  const reduces = (kind: number): boolean => kind === OperationCode.reduce || kind === OperationCode.recvReduce;
  return collectiveFacts[collective.kind].reduces || ops.kind.some(reduces);
}

/** Whether any slice of input or output contains chunks of several shards. */
function spansShards({ ops, collective: { chunks } }: Plan): boolean {
  const spans = (buffer: Int32Array, offset: Int32Array, count: Int32Array): boolean =>
    buffer.some(
      (code, o) =>
        (code === 0 || code === 1) &&
        Math.floor(offset[o] / chunks) !== Math.floor((offset[o] + count[o] - 1) / chunks),
    );
  return spans(ops.srcBuffer, ops.srcOffset, ops.srcCount) || spans(ops.dstBuffer, ops.dstOffset, ops.dstCount);
}

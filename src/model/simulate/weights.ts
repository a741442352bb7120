/**
 * How many average chunks an operation moves. Where all shards have the same size this is its number of chunks. Where they have sizes
 * of their own, chunks of different shards weigh differently and the weight of a slot depends on what was written there, so that the
 * plan is executed once with weights in place of data.
 */
import { shardOf } from '../../ir/collective.ts';
import { isSend, operationCount, type Plan } from '../../ir/plan.ts';
import { alignedWeights, chunkBytesOf, chunkWeights } from '../../ir/shards.ts';
import type { MessageLimits } from '../../ir/topology.ts';
import type { Bytes } from '../../ir/units.ts';
import { carry } from './carrying.ts';

/** Average chunks (M / `messageChunks` bytes each) by operation. */
export interface OperationWeights {
  /** What a send puts on its way; 0 for others. */
  readonly sent: Int32Array | Float64Array;
  /** What arrives, is copied or is reduced; 0 for sends. */
  readonly written: Int32Array | Float64Array;
}

/**
 * The weights of a plan's operations in one bulk.
 * @param messages limits of a machine, for a message of `size` bytes
 * @throws Error if the plan deadlocks: prove it first
 */
export function weigh(plan: Plan, size?: Bytes, messages?: MessageLimits): OperationWeights {
  const { collective, ops } = plan;
  const isAligned = size !== undefined && messages !== undefined;
  const byShard = isAligned ? alignedWeights(plan, size, messages.alignment) : chunkWeights(collective);
  if (byShard === undefined) return { sent: ops.srcCount, written: ops.dstCount };
  const operations = operationCount(plan);
  const sent = new Float64Array(operations);
  const written = new Float64Array(operations);
  const weightAt = (rank: number, slot: number): number => byShard[shardOf(collective, 'input', rank, slot)];
  carry(plan, weightAt, (operation, carried) => {
    const weight = carried.reduce((total, part) => total + part, 0);
    if (isSend(plan, operation)) sent[operation] = weight;
    else written[operation] = weight;
  });
  return { sent, written };
}

/**
 * By operation: the bytes that it sends in one bulk, 0 for operations that do not send.
 * @param size bytes of the whole message (M)
 * @throws Error if the plan deadlocks, which a proved plan does not
 */
export function sentBytes(plan: Plan, size: Bytes): Float64Array {
  const chunkBytes = chunkBytesOf(plan, size);
  const { sent } = weigh(plan);
  return Float64Array.from(sent, (chunks, operation) => (isSend(plan, operation) ? chunks * chunkBytes : 0));
}

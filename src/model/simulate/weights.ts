/**
 * The weight of an operation: how many average chunks it moves. If all shards have the same size, this is its number of chunks. Otherwise chunks of
 * different shards have different weights, and the weight of a slot depends on what was written there; so the plan is executed once with weights in
 * place of data.
 */
import { shardOf } from '../../ir/collective.ts';
import { isSend, operationCount, type Plan } from '../../ir/plan.ts';
import { alignedWeights, chunkBytesOf, chunkWeights } from '../../ir/shards.ts';
import type { MessageLimits } from '../../ir/topology.ts';
import type { Bytes } from '../../ir/units.ts';
import { carry } from './carrying.ts';

/** Weights by operation, in average chunks of M / `messageChunks` bytes. */
export interface OperationWeights {
  /** The weight of a send's message; 0 for other operations. */
  readonly sent: Int32Array | Float64Array;
  /** The weight of the data that arrives, is copied or is reduced; 0 for sends. */
  readonly written: Int32Array | Float64Array;
}

/**
 * Computes the weights of a plan's operations in one bulk.
 * @param size bytes of the whole message (M), needed with `messages`
 * @param messages the machine's limits on messages
 * @throws Error if the plan deadlocks: verify it first
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

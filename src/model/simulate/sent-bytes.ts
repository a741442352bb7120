/** The bytes of the messages of a plan. */
import { isSend, type Plan } from '../../ir/plan.ts';
import { chunkBytesOf } from '../../ir/shards.ts';
import type { Bytes } from '../../ir/units.ts';
import { weigh } from './weights.ts';

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

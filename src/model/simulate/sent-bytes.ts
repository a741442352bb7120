/** How many bytes each send of a plan puts on its way. */
import { OperationCode, type Plan } from '../../ir/plan.ts';
import type { Routes } from '../../ir/routes.ts';
import { chunkBytesOf } from '../../ir/shards.ts';
import type { Bytes } from '../../ir/units.ts';
import { findConnections } from './connections.ts';
import { weigh } from './weights.ts';

/** Bytes by operation, in one bulk; 0 for those that send nothing. @throws Error as `simulate` */
export function sentBytes(plan: Plan, routes: Routes, size: Bytes): Float64Array {
  const chunkBytes = chunkBytesOf(plan, size);
  const { sent } = weigh(plan, findConnections(plan, routes));
  const { kind } = plan.ops;
  return Float64Array.from(kind, (code, operation) => (code === OperationCode.send ? sent[operation] * chunkBytes : 0));
}

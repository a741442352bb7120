/**
 * Liveness analysis: whether the data that an action writes is ever read. Data that is received, reduced and forwarded need not be written if nobody
 * reads it.
 */
import { memoryLayout } from '../../ir/collective.ts';
import { OperationCode, type Plan } from '../../ir/plan.ts';
import type { Action } from './actions.ts';

/**
 * The fused reducing actions that need not write. The analysis goes backwards from the end, where only the output is live: a slot is live if it is
 * read before it is written again. Without races the result is the same for all orders of the plan.
 * @param actions the actions of a rank, in an order in which they could run
 */
export function writesNothing(plan: Plan, rank: number, actions: readonly Action[]): ReadonlySet<number> {
  const { input, output, cells } = memoryLayout(plan.collective, rank);
  const starts = [input, output, cells];
  const live = new Uint8Array(cells + plan.buffers[rank].scratch);
  live.fill(1, output, output + plan.buffers[rank].output);
  const { ops } = plan;
  const found = new Set<number>();
  for (let at = actions.length - 1; at >= 0; at--) {
    const { operation, forward } = actions[at];
    const kind = ops.kind[operation];
    const target = starts[ops.dstBuffer[operation]] + ops.dstOffset[operation];
    const targetEnd = target + ops.dstCount[operation];
    const reduces = kind === OperationCode.recvReduce || kind === OperationCode.reduce;
    if (kind === OperationCode.recvReduce && forward !== undefined) {
      if (!live.subarray(target, targetEnd).includes(1)) found.add(at);
    }
    if (kind !== OperationCode.send) live.fill(reduces ? 1 : 0, target, targetEnd);
    if (ops.srcBuffer[operation] < 0) continue;
    const source = starts[ops.srcBuffer[operation]] + ops.srcOffset[operation];
    live.fill(1, source, source + ops.srcCount[operation]);
  }
  return found;
}

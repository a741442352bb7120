/**
 * Deadlock. Which operations can run does not depend on the interleaving, so one run decides whether every run reaches its end; this file
 * finds how many transfers a connection must buffer for that.
 */
import type { Connections, PlanIndex } from '../../ir/plan-index.ts';
import { executeBulk, HappensBefore } from '../order/happens-before.ts';

/**
 * The smallest number of transfers a connection must buffer for a plan that does not run without buffers to run to its end, or
 * undefined if no number is enough. More buffers never hurt: they only take edges away.
 */
export function smallestInflight(index: PlanIndex, connections: Connections): number | undefined {
  const runs = (inflight: number | undefined): boolean =>
    executeBulk(new HappensBefore(index, connections, inflight)).order.length === index.laneOf.length;
  const { firstSend } = connections;
  let most = 0;
  for (let c = 0; c + 1 < firstSend.length; c++) most = Math.max(most, firstSend[c + 1] - firstSend[c]);
  // Doubling first: the answer is 1 or 2 for most plans. Within a bulk, `most` buffers are as good as any number.
  let tooFew = 0;
  let enough = 1;
  while (!runs(enough)) {
    if (enough >= most) return undefined;
    tooFew = enough;
    enough = Math.min(2 * enough, Math.max(1, most));
  }
  while (enough - tooFew > 1) {
    const middle = (tooFew + enough) >> 1;
    if (runs(middle)) enough = middle;
    else tooFew = middle;
  }
  return enough;
}

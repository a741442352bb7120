/**
 * Finds how many transfers a connection must buffer so that a plan does not deadlock. Which operations can run does not depend on the interleaving,
 * so one run decides whether every run reaches its end.
 */
import type { Connections, PlanIndex } from '../../ir/plan-index.ts';
import { executeBulk, HappensBefore } from '../order/happens-before.ts';

/**
 * Returns the smallest number of transfers that a connection must buffer so that a plan which does not run without buffers reaches its end, or
 * undefined if no number is enough. Additional buffers never cause a deadlock, since they only remove edges from happens-before.
 */
export function smallestInflight(index: PlanIndex, connections: Connections): number | undefined {
  const runs = (inflight: number | undefined): boolean =>
    executeBulk(new HappensBefore(index, connections, inflight)).order.length === index.laneOf.length;
  const { firstSend } = connections;
  let most = 0;
  for (let c = 0; c + 1 < firstSend.length; c++) most = Math.max(most, firstSend[c + 1] - firstSend[c]);
  // Double the number first, since the answer is 1 or 2 for most plans. A bulk has at most `most` messages per connection, so more buffers make no
  // difference.
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

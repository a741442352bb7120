import { describe, expect, it } from 'vitest';
import type { Plan } from '../../src/ir/plan.ts';
import { HappensBefore, run } from '../../src/verify/order/happens-before.ts';
import { LocalClocks } from '../../src/verify/order/local-clocks.ts';
import { indexPlan } from '../../src/verify/plan-index.ts';
import { checkMatching, connect } from '../../src/verify/rungs/connections.ts';
import { checkOperations } from '../../src/verify/rungs/well-formed.ts';
import { nearRight } from './mutations/near-right.ts';

/** Everything that is before an operation by lane order and waits within its bulk, found by following these back. */
function pastOf(plan: Plan, laneOf: Int32Array, operation: number): ReadonlySet<number> {
  const { firstAfter, afterOp, afterBulks } = plan.ops;
  const past = new Set<number>();
  const open = [operation];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const direct = next > plan.firstOp[laneOf[next]] ? [next - 1] : [];
    for (let a = firstAfter[next]; a < firstAfter[next + 1]; a++) if (afterBulks[a] === 0) direct.push(afterOp[a]);
    for (const before of direct) {
      if (past.has(before)) continue;
      past.add(before);
      open.push(before);
    }
  }
  return past;
}

describe('what a rank knows by itself', () => {
  it('is what lane order and waits lead to, in random plans right and wrong', () => {
    let [ordered, unordered] = [0, 0];
    for (let seed = 1; seed <= 600; seed++) {
      const found = nearRight(seed);
      if (found === undefined) continue;
      const index = indexPlan(found.plan);
      if (!checkOperations(index).none) continue;
      const connections = connect(index);
      if (!checkMatching(index, connections).none) continue;
      const { order } = run(new HappensBefore(index, connections, undefined));
      if (order.length < index.laneOf.length) continue;
      const clocks = new LocalClocks(index);
      for (let rank = 0; rank < found.plan.buffers.length; rank++) {
        const operations = order.filter((operation) => index.rankOf[operation] === rank);
        clocks.over(operations);
        operations.forEach((later, at) => {
          const past = pastOf(found.plan, index.laneOf, later);
          for (const earlier of operations.subarray(0, at)) {
            const isBefore = past.has(earlier);
            expect(clocks.isBefore(earlier, later), `${found.about}: ${earlier} before ${later}`).toBe(isBefore);
            if (isBefore) ordered++;
            else unordered++;
          }
        });
      }
    }
    expect(ordered).toBeGreaterThan(1000);
    expect(unordered).toBeGreaterThan(100);
  });
});

/** Waits for strict ownership, added to plans that are right as events and have lost the local waits that were in them. */
import { describe, expect, it } from 'vitest';
import { operationCount, type Plan } from '../../src/ir/plan.ts';
import { ownStrictly } from '../../src/lower/index.ts';
import { verify } from '../../src/verify/index.ts';
import { claims, planOf } from '../seeds/library.ts';
import { planOf as planOfText, ringAllreduce } from '../verify/plans.ts';

const strictly = { ownership: 'strict' } as const;

/** How many waits a plan has. */
function waits(plan: Plan): number {
  return plan.ops.afterOp.length;
}

/** The plan without the waits whose loss does not show as events: those that only strict ownership needs. */
function stripped(plan: Plan): Plan {
  let current = plan;
  for (let wait = waits(plan) - 1; wait >= 0; wait--) {
    const fewer = without(current, wait);
    if (verify(fewer).verdict === 'correct') current = fewer;
  }
  return current;
}

function without(plan: Plan, wait: number): Plan {
  const { firstAfter, afterOp, afterBulks } = plan.ops;
  const kept = (column: Int32Array): Int32Array => column.filter((_, index) => index !== wait);
  const starts = firstAfter.map((start) => (start > wait ? start - 1 : start));
  return { ...plan, ops: { ...plan.ops, firstAfter: starts, afterOp: kept(afterOp), afterBulks: kept(afterBulks) } };
}

describe('waits for strict ownership', () => {
  it.each([2, 3, 4, 7])('completes P(P − 1) sends in an in-place ring allreduce of %i ranks', (ranks) => {
    const plan = planOfText(ringAllreduce(ranks));
    expect(verify(plan, strictly).verdict).toBe('race');
    const strict = ownStrictly(plan);
    expect(verify(strict, strictly).verdict).toBe('correct');
    expect(waits(strict) - waits(plan)).toBe(ranks * (ranks - 1));
    expect(operationCount(strict)).toBe(operationCount(plan));
  });

  const names = [
    'ring-allreduce',
    'recursive-doubling-allreduce',
    'bruck-alltoall',
    'rabenseifner-allreduce',
    'chain-scan',
  ];
  it.each(names)('mends %s after it has lost what only strict ownership needs', (name) => {
    for (const ranks of [2, 3, 4]) {
      for (const inPlace of [false, true]) {
        if (!claims(name, ranks, { inPlace })) continue;
        const plan = stripped(planOf(name, ranks, { inPlace }));
        const strict = ownStrictly(plan);
        expect(verify(strict, strictly).verdict).toBe('correct');
        expect(verify(strict).smallestInflight).toBe(verify(plan).smallestInflight);
      }
    }
  });

  it('mends the use of scratch again by later bulks', () => {
    const plan = { ...stripped({ ...planOf('bruck-allgather', 5), bulks: 3 }), bulks: 3 };
    const strict = ownStrictly(plan);
    expect(verify(strict, strictly).verdict).toBe('correct');
    expect(ownStrictly(strict).ops.afterOp.length).toBe(waits(strict));
  });

  it('leaves a race as it is', () => {
    const plan = planOfText(ringAllreduce(3));
    const none = new Int32Array(operationCount(plan) + 1);
    const racy = {
      ...plan,
      ops: { ...plan.ops, firstAfter: none, afterOp: none.subarray(0, 0), afterBulks: none.subarray(0, 0) },
    };
    expect(verify(racy).verdict).not.toBe('correct');
    expect(verify(ownStrictly(racy)).verdict).not.toBe('correct');
  });
});

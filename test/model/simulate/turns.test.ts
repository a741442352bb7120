/** Messages that take turns: what the plan's document carries, and that it is a hint that no plan can be stopped by. */
import { describe, expect, it } from 'vitest';
import { json } from '../../../src/emit/index.ts';
import { resolveTopology } from '../../../src/index.ts';
import type { Plan } from '../../../src/ir/plan.ts';
import { Routes } from '../../../src/ir/routes.ts';
import { simulate } from '../../../src/model/index.ts';
import { readPlan } from '../../../src/read/index.ts';
import { bundleOf } from '../../emit/mpi/support.ts';
import { planOf } from '../../seeds/library.ts';

async function throughText(plan: Plan): Promise<Plan> {
  const text = [...(await json.emit(bundleOf(plan)))].join('');
  return readPlan({ name: 'plan.json', text }).plan;
}

function secondsOf(plan: Plan, size: number): number {
  return simulate(plan, new Routes(resolveTopology(`switch:${plan.collective.ranks}`)), size).seconds;
}

describe('messages that take turns', () => {
  it('do so in the plan that is read back', async () => {
    const plan = planOf('rabenseifner-allreduce', 19);
    const again = await throughText(plan);
    expect(again.inTurn).toBe(true);
    expect(secondsOf(again, 1024)).toBe(secondsOf(plan, 1024));
    const { inTurn: _, ...hasty } = plan;
    expect(secondsOf(hasty, 1024)).toBeGreaterThan(1.5 * secondsOf(plan, 1024));
  });

  it('change nothing where every rank is busy in every step', async () => {
    const plan = planOf('ring-allreduce', 5);
    expect((await throughText(plan)).inTurn).toBeUndefined();
    expect(secondsOf({ ...plan, inTurn: true }, 2 ** 20)).toBe(secondsOf(plan, 2 ** 20));
  });

  it('let bulks follow each other', () => {
    const plan = planOf('pipelined-chain-broadcast', 4);
    const deep = { ...plan, bulks: 6, scratchPerBulk: 6 };
    expect(secondsOf({ ...deep, inTurn: true }, 2 ** 20)).toBe(secondsOf(deep, 2 ** 20));
  });

  it('end even where the steps say the opposite of what the messages wait for', () => {
    const plan = planOf('chain-broadcast', 6);
    const backwards = {
      ...plan,
      inTurn: true,
      ops: { ...plan.ops, step: plan.ops.step.map((step) => -step) },
    } as const;
    expect(secondsOf(backwards, 1024)).toBe(secondsOf(plan, 1024));
  });
});

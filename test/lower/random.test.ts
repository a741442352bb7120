/** Random schedules: their plans compute what they mean, in every order and place, and wait for no more than they must. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Schedule } from '../../src/ir/schedule.ts';
import { lower } from '../../src/lower/index.ts';
import { drawn } from '../draw.ts';
import { execute, seeded } from './execution.ts';
import { conflicts, LocalOrder } from './local-order.ts';
import { outputsOf } from './meaning.ts';
import { describeSchedule, schedules } from './random-schedules.ts';

const runs = drawn(200);

function forAllSchedules(check: (schedule: Schedule) => void): void {
  const reporting = (schedule: Schedule): void => {
    try {
      check(schedule);
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : error}\n${describeSchedule(schedule)}`);
    }
  };
  fc.assert(fc.property(schedules(), reporting), runs);
}

/** Compares what is defined: a slot that the schedule never gave a value may hold anything. */
function expectMeaning(schedule: Schedule, outputs: string[][], prefix: string): void {
  outputsOf(schedule).forEach((wanted, rank) => {
    const defined = wanted.map((value, chunk) =>
      value.includes('?') ? outputs[rank][chunk] : value.replaceAll(/\d+\.\d+ /g, (input) => prefix + input),
    );
    expect(outputs[rank]).toEqual(defined);
  });
}

describe('the plan of a random schedule', () => {
  it('computes what the schedule means, in any order, with one message in flight per connection', () => {
    let seed = 1;
    forAllSchedules((schedule) => {
      const plan = lower(schedule);
      for (const inflight of [1, 1, Number.POSITIVE_INFINITY]) {
        const outputs = execute(plan, inflight, seeded(seed++));
        if (outputs === undefined) expect.fail(`stuck with ${inflight} in flight`);
        expectMeaning(schedule, outputs[0], '0:');
      }
    });
  });

  it('computes the same with ranks in step', () => {
    let seed = 1;
    forAllSchedules((schedule) => {
      const outputs = execute(lower({ ...schedule, inStep: true }), 1, seeded(seed++));
      if (outputs === undefined) expect.fail('stuck');
      expectMeaning(schedule, outputs[0], '0:');
    });
  });

  it('computes the same for each of several bulks that run into each other', () => {
    let seed = 1;
    forAllSchedules((schedule) => {
      const plan = lower(schedule, { bulks: 4, scratchPerBulk: 1 + (seed % 3) });
      const outputs = execute(plan, seed % 2 === 0 ? 1 : 3, seeded(seed++));
      if (outputs === undefined) expect.fail('stuck');
      outputs.forEach((bulk, number) => {
        expectMeaning(schedule, bulk, `${number}:`);
      });
    });
  });

  it('orders all conflicting accesses of a rank without help from other ranks', () => {
    let copies = 1;
    forAllSchedules((schedule) => {
      const bulks = 2 + copies;
      const plan = lower(schedule, { bulks, scratchPerBulk: copies });
      const order = new LocalOrder(plan, bulks);
      for (const [a, b] of conflicts(plan, bulks)) expect(order.has(a, b) || order.has(b, a)).toBe(true);
      copies = (copies % 3) + 1;
    });
  });

  it('waits only where two accesses would be unordered otherwise', () => {
    let copies = 1;
    fc.assert(
      fc.property(schedules(), (schedule) => {
        const bulks = 1 + copies;
        const plan = lower(schedule, { bulks, scratchPerBulk: copies });
        copies = (copies % 3) + 1;
        for (let wait = 0; wait < plan.ops.afterOp.length; wait++) {
          const order = new LocalOrder(plan, bulks, wait);
          const isMissed = conflicts(plan, bulks).some(([a, b]) => !order.has(a, b) && !order.has(b, a));
          expect(isMissed).toBe(true);
        }
      }),
      drawn(100),
    );
  });
});

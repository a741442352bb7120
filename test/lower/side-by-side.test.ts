/** Plans side by side: right if all are, wrong if one is, and as fast as on links of their own. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OperationCode, operationCount, type Plan } from '../../src/ir/plan.ts';
import { Routes } from '../../src/ir/routes.ts';
import { lower, type PlacedPlan, sideBySide } from '../../src/lower/index.ts';
import { simulate } from '../../src/model/index.ts';
import { listShipped } from '../../src/read/index.ts';
import { verify } from '../../src/verify/index.ts';
import { drawn } from '../draw.ts';
import { full } from '../model/machines.ts';
import { claims, scheduleOf } from '../seeds/library.ts';

const names = listShipped('schedules').filter((name) => !/-(barrier|custom)$/.test(name));
const ranks = 9;
/** Scans keep rank order, and then the whole does. */
const isScan = (name: string): boolean => /scan$/.test(name);

/** Two shipped schedules, lowered for some bulks on disjoint groups of nine ranks. */
const pairs = fc
  .record({
    names: fc.tuple(fc.constantFrom(...names), fc.constantFrom(...names)),
    sizes: fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 4 })),
    chips: fc.shuffledSubarray(
      Array.from({ length: ranks }, (_, rank) => rank),
      { minLength: ranks },
    ),
    bulks: fc.integer({ min: 1, max: 3 }),
    inPlace: fc.boolean(),
  })
  .filter(({ names: [a, b], sizes: [m, n] }) => claims(a, m) && claims(b, n) && isScan(a) === isScan(b))
  .map(({ names: [a, b], sizes: [m, n], chips, bulks, inPlace }): readonly PlacedPlan[] => [
    { plan: lower(scheduleOf(a, m, { inPlace }), { bulks }), group: chips.slice(0, m) },
    { plan: lower(scheduleOf(b, n, { inPlace }), { bulks }), group: chips.slice(m, m + n) },
  ]);

/** The plan with its last message taken somewhere else, if there is a place for it. */
function damaged(plan: Plan): Plan | undefined {
  const { ops } = plan;
  for (let o = operationCount(plan) - 1; o >= 0; o--) {
    if (ops.kind[o] !== OperationCode.send || ops.srcOffset[o] === 0) continue;
    const srcOffset = ops.srcOffset.slice();
    srcOffset[o]--;
    return { ...plan, ops: { ...ops, srcOffset } };
  }
  return undefined;
}

describe('plans side by side', () => {
  it('are right together, in place and out of place', () => {
    fc.assert(
      fc.property(pairs, (parts) => {
        const { verdict, findings } = verify(sideBySide(parts, ranks, 'both'));
        expect(verdict, findings[0]?.message).toBe('correct');
      }),
      drawn(80),
    );
  });

  it('are wrong together if one is wrong by itself', () => {
    fc.assert(
      fc.property(pairs, ([first, second]) => {
        const plan = damaged(second.plan);
        fc.pre(plan !== undefined && verify(plan).verdict !== 'correct');
        const joint = sideBySide([first, { ...second, plan }], ranks, 'both');
        expect(verify(joint).verdict).toBe(verify(plan).verdict);
      }),
      drawn(40),
    );
  });

  it('take as long as the slower where each pair of chips has links of its own', () => {
    const machine = full(ranks, { occupancy: 'pipelined' });
    fc.assert(
      fc.property(pairs, (parts) => {
        // Turns are taken by all groups or by none.
        fc.pre(parts[0].plan.inTurn === parts[1].plan.inTurn);
        const alone = parts.map(({ plan, group }) => {
          const own = { ...machine, chips: group.map((rank) => machine.chips[rank]) };
          return simulate(plan, new Routes(own), 720);
        });
        const together = simulate(sideBySide(parts, ranks, 'both'), new Routes(machine), 720);
        expect(together.seconds).toBeCloseTo(Math.max(...alone.map(({ seconds }) => seconds)), 9);
        expect(together.bytesMoved).toBeCloseTo(
          alone.reduce((sum, { bytesMoved }) => sum + bytesMoved, 0),
          6,
        );
        expect(together.messages).toBe(alone.reduce((sum, { messages }) => sum + messages, 0));
      }),
      drawn(50),
    );
  });

  it('must have as many bulks', () => {
    const parts = [1, 2].map((bulks) => ({
      plan: lower(scheduleOf('ring-allgather', 2), { bulks }),
      group: [bulks, 4 + bulks],
    }));
    expect(() => sideBySide(parts, ranks, 'both')).toThrow('different numbers of bulks');
  });
});

/**
 * Plans whose ranks all run one program, shifted: what is said of them in less time is word for word what the whole ladder says, whatever is
 * wrong with them, on all ranks or on one.
 */
import { describe, expect, it } from 'vitest';
import { expandCompact } from '../../src/ir/expand.ts';
import type { Plan } from '../../src/ir/plan.ts';
import { Random } from '../../src/ir/random.ts';
import { check, type VerifyOptions, verify } from '../../src/verify/index.ts';
import { verifyShifted } from '../../src/verify/shifted.ts';
import { mistaken, mistakes } from '../compact/edits.ts';
import { layeredPlan, torus, wholeMachine } from '../compact/machines.ts';
import { mutate, mutations } from './mutations/mutations.ts';

const shapes = [[1], [2], [5], [2, 2], [3, 4], [2, 3, 2]];
const machines = shapes.map((shape) => torus(shape));
const variants = [{}, { chunks: 2 }, { inPlace: true }, { bulks: 3 }, { bulks: 5, inPlace: true }] as const;
const options: readonly VerifyOptions[] = [{}, { inflight: 0 }, { ownership: 'strict', inflight: 2 }];

describe('right plans', () => {
  it('are seen to be right, in the same words', () => {
    for (const machine of machines) {
      const topology = machine.generators.length === 0 ? undefined : wholeMachine(machine);
      for (const variant of variants) {
        const plan = expandCompact(layeredPlan(machine, variant));
        for (const more of options) {
          const quick = verifyShifted(plan, machine.shape, { topology, ...more });
          expect(quick?.verification.verdict).toBe('correct');
          expect(quick?.verification).toEqual(verify(plan, { topology, ...more }));
        }
      }
    }
  });

  it('need routes for all messages, and room for the rounds that they claim', () => {
    const machine = torus([3, 4]);
    const plan = expandCompact(layeredPlan(machine, {}));
    const whole = wholeMachine(machine);
    const cut = { ...whole, links: whole.links.filter(({ from }) => from !== 5) };
    const steps = plan.ops.step.reduce((most, step) => Math.max(most, step), 0);
    const claiming = (rounds: number): Plan => ({ ...plan, rounds: new Array(steps + 1).fill(rounds) });
    for (const [tried, topology, verdict] of [
      [plan, cut, 'malformed'],
      [claiming(4), whole, 'correct'],
      [claiming(1), whole, 'over-capacity'],
    ] as const) {
      const { verification } = check(tried, { topology, shape: machine.shape });
      expect(verification.verdict).toBe(verdict);
      expect(verification).toEqual(verify(tried, { topology }));
    }
  });

  it('are not believed to be of another shape, nor larger than the limit', () => {
    const plan = expandCompact(layeredPlan(torus([3, 4]), {}));
    for (const shape of [[4, 3], [12], [2, 6], [3, 5]]) expect(verifyShifted(plan, shape, {})).toBeUndefined();
    expect(() => check(plan, { shape: [3, 4], slots: 100 })).toThrow('too large to verify');
  });
});

/** How a plan is told by the whole ladder; the quick way must say the same. */
function verdictOf(plan: Plan, shape: readonly number[]): string {
  const full = verify(plan);
  expect(check(plan, { shape }).verification).toEqual(full);
  return full.verdict;
}

describe('mistakes', () => {
  it('that all ranks make are told as the whole ladder tells them', () => {
    const verdicts = new Set<string>();
    const random = new Random(7);
    for (const machine of machines.slice(1)) {
      for (const variant of variants) {
        for (const mistake of mistakes) {
          for (let again = 0; again < 3; again++) {
            const plan = mistaken(layeredPlan(machine, variant), mistake, random.below(1000), random.below(1000));
            verdicts.add(verdictOf(expandCompact(plan), machine.shape));
          }
        }
      }
    }
    expect([...verdicts].sort()).toEqual([
      'correct',
      'deadlock',
      'malformed',
      'mismatched',
      'race',
      'uninitialised',
      'wrong-result',
    ]);
  });

  it('that one rank makes are told as the whole ladder tells them', () => {
    const verdicts = new Set<string>();
    for (const machine of machines.slice(1)) {
      for (const variant of variants) {
        const right = expandCompact(layeredPlan(machine, variant));
        for (const mutation of Object.values(mutations)) {
          for (const seed of [1, 2]) {
            const random = new Random(seed);
            const plan = mutate(right, mutation, (bound) => random.below(bound));
            if (plan !== undefined) verdicts.add(verdictOf(plan, machine.shape));
          }
        }
      }
    }
    expect(verdicts.size).toBeGreaterThan(5);
  });

  /** Every entry of every table of a right plan, changed on its own: what is not the program of all is never taken for it. */
  it('in any one entry of the tables are seen', () => {
    const right = expandCompact(layeredPlan(torus([2, 3]), { bulks: 9 }));
    expect(verifyShifted(right, [2, 3], {})?.verification.verdict).toBe('correct');
    const changed = (table: Int32Array, at: number): Int32Array =>
      table.map((value, i) => (i === at ? value + 1 : value));
    for (const [name, table] of Object.entries(right.ops)) {
      if (name === 'origin') continue;
      const ofRank = Math.floor(table.length / right.collective.ranks);
      for (let at = ofRank; at < table.length; at++) {
        const plan = { ...right, ops: { ...right.ops, [name]: changed(table, at) } };
        expect(verifyShifted(plan, [2, 3], {}), `${name}[${at}]`).toBeUndefined();
      }
    }
    for (const name of ['laneId', 'firstOp', 'firstLane'] as const) {
      for (let at = 1; at < right[name].length - 1; at++) {
        const plan = { ...right, [name]: changed(right[name], at) };
        expect(verifyShifted(plan, [2, 3], {}), `${name}[${at}]`).toBeUndefined();
      }
    }
    const buffers = right.buffers.map((buffer, rank) =>
      rank === 4 ? { ...buffer, scratch: buffer.scratch + 1 } : buffer,
    );
    expect(verifyShifted({ ...right, buffers }, [2, 3], {})).toBeUndefined();
  });
});

/** Reductions shared evenly step by step: what all chips wait for is hardly more than what each must do. */
import { describe, expect, it } from 'vitest';
import { simulate } from '../../../src/cost/index.ts';
import type { Schedule } from '../../../src/ir/schedule.ts';
import { ranksOf } from '../../../src/ir/topology.ts';
import { lower } from '../../../src/lower/index.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { engines, type Problem } from '../../../src/synth/index.ts';
import { levelled } from '../../../src/synth/reductions/levelled.ts';
import { prove } from '../../../src/verify/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { candidatesAmong, problemFor } from '../problems.ts';

/** α, 1/β and 1/γ of the shipped grids and rings. */
const [latency, perByte, perReduced] = [1e-6, 1e-10, 2e-11];
const size = 2 ** 20;

function problemOn(name: string, kind: 'reduce' | 'reducescatter' | 'allreduce'): Problem {
  const topology = resolveTopology(name);
  return problemFor(collectiveOf(kind, ranksOf(topology)), topology, { size });
}

/** What an engine makes first whose name begins so. */
function madeBy(engine: string, name: string, problem: Problem, multiple = 1): Schedule {
  const proposals = engines.find((each) => each.name === engine)?.propose(problem) ?? [];
  const candidate = candidatesAmong(proposals).find((each) => each.name.startsWith(name));
  if (candidate === undefined) throw new Error(`${engine} makes no ${name}`);
  return candidate.build(multiple);
}

/** Simulated seconds of a schedule, which must be correct. */
function secondsOf(schedule: Schedule, { routes }: Problem): number {
  const plan = lower(schedule);
  expect(prove(plan, { topology: routes.topology }).verification.verdict).toBe('correct');
  return simulate(plan, routes, size).seconds;
}

/** Of each step the chunks of its longest message, and what its busiest rank reduces. */
function stepsOf({ steps }: Schedule): { readonly longest: number; readonly reduced: number }[] {
  return Array.from(steps.rounds, (_, step) => {
    const reduced = new Map<number, number>();
    let longest = 0;
    for (const { kind, destination, pieces } of steps.inStep(step)) {
      const chunks = pieces.reduce((sum, { count }) => sum + count, 0);
      longest = Math.max(longest, chunks);
      if (kind === 'reduce') reduced.set(destination, (reduced.get(destination) ?? 0) + chunks);
    }
    return { longest, reduced: Math.max(0, ...reduced.values()) };
  });
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

describe('reductions shared evenly', () => {
  it.each([
    ['mesh:4x4', 'reducescatter'],
    ['mesh:3x5', 'reducescatter'],
    ['mesh:3x4', 'reduce'],
    ['mesh:4x4', 'allreduce'],
    ['mesh:2x3', 'allreduce'],
  ] as const)('on %s a %s stays correct, with messages as long and less to wait for', (name, kind) => {
    const problem = problemOn(name, kind);
    const before = madeBy('list', 'list-rounds', problem);
    const after = levelled(before, problem);
    secondsOf(after, problem);
    const [old, now] = [stepsOf(before), stepsOf(after)];
    expect(now.length).toBe(old.length);
    now.forEach(({ longest }, step) => {
      expect(longest).toBeLessThanOrEqual(old[step].longest);
    });
    expect(sum(now.map(({ reduced }) => reduced))).toBeLessThan(sum(old.map(({ reduced }) => reduced)));
  });

  it('leaves alone what reduces while it copies, and what goes over switches', () => {
    const ring = problemOn('ring:8', 'allreduce');
    const whole = madeBy('library', 'recursive-doubling-allreduce', ring);
    expect(levelled(whole, ring)).toBe(whole);
    const star = problemOn('switch:8', 'reducescatter');
    const halving = madeBy('library', 'recursive-halving-reducescatter', star);
    expect(levelled(halving, star)).toBe(halving);
  });

  it.each(['mesh:4x4', 'mesh:5x5'])(
    'a reducescatter on %s takes little more than the links of a corner and an even share of all reductions',
    (name) => {
      const problem = problemOn(name, 'reducescatter');
      const { ranks } = problem.collective;
      const schedule = madeBy('in-step', 'list-rounds-reducescatter, in step', problem);
      const { steps } = madeBy('list', 'list-rounds', problem);
      const bytes = ((ranks - 1) / ranks) * size;
      const least = steps.stepCount * latency + bytes * (perByte / 2 + perReduced);
      const seconds = secondsOf(schedule, problem);
      expect(seconds).toBeGreaterThan(least);
      expect(seconds).toBeLessThan(1.08 * least);
      expect(secondsOf(madeBy('in-step', 'list-rounds-reducescatter, in step', problem, 2), problem)).toBeCloseTo(
        seconds,
        12,
      );
    },
  );
});

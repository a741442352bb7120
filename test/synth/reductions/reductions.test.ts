/** The packets engine: right on many machines, as fast as its closed form, and near the bound where chips cannot send while they reduce. */
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../../src/bounds/index.ts';
import type { Collective } from '../../../src/ir/collective.ts';
import { ranksOf } from '../../../src/ir/topology.ts';
import { lower } from '../../../src/lower/index.ts';
import { simulate } from '../../../src/model/index.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { type Candidate, type Dismissal, engines, type Problem } from '../../../src/synth/index.ts';
import { prove } from '../../../src/verify/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { candidatesAmong, problemFor } from '../problems.ts';

function problemOf(name: string, size: number, changes: Partial<Collective> = {}): Problem {
  const topology = resolveTopology(name);
  return problemFor({ ...collectiveOf('reduce', ranksOf(topology)), ...changes }, topology, { size });
}

function proposals(problem: Problem): { candidates: Candidate[]; dismissals: Dismissal[] } {
  const found = [...(engines.find(({ name }) => name === 'in-step')?.propose(problem) ?? [])];
  return {
    candidates: candidatesAmong(found),
    dismissals: found.flatMap((proposal) => (proposal.kind === 'dismissed' ? [proposal.dismissal] : [])),
  };
}

/** Simulated seconds of the engine's candidate, which must be correct. */
function secondsOf(problem: Problem): number {
  const [candidate] = proposals(problem).candidates;
  const plan = lower(candidate.build(1));
  expect(prove(plan, { topology: problem.routes.topology }).verification.verdict).toBe('correct');
  return simulate(plan, problem.routes, problem.size).seconds;
}

describe('packets up packed trees', () => {
  it.each(['ring:2', 'ring:5', 'line:4', 'mesh:3x3', 'torus:3x3', 'hypercube:3', 'full:5'])(
    'are correct on %s, for any root and C, in place and out of place',
    (name) => {
      for (const root of [0, 1]) {
        for (const inPlace of [false, true]) {
          const problem = problemOf(name, 2 ** 20, { root, inPlace });
          for (const [index, candidate] of proposals(problem).candidates.entries()) {
            const plan = lower(candidate.build(index + 1));
            expect(prove(plan, { topology: problem.routes.topology }).verification.verdict).toBe('correct');
          }
        }
      }
    },
  );

  it('take a step for each packet on a ring of three, in which the root reduces two messages', () => {
    // Half of M each way round: α + m/β + m/γ until both others have added theirs to the first packet, then α + m/β + 2m/γ a packet.
    const [latency, bandwidth, throughput] = [1e-6, 1e10, 5e10];
    const problem = { ...problemOf('ring:3', 2 ** 20), chunks: 20 };
    const [candidate] = proposals(problem).candidates;
    const schedule = candidate.build(1);
    expect(schedule.collective.chunks).toBe(20);
    const packets = 10;
    const message = 2 ** 20 / 2 / packets;
    const sending = latency + message / bandwidth;
    const expected = sending + message / throughput + packets * (sending + (2 * message) / throughput);
    expect(simulate(lower(schedule), problem.routes, problem.size).seconds).toBeCloseTo(expected, 12);
  });

  it('take no longer than their closed form on a torus, where all chips are alike', () => {
    // Four trees over the four links of each chip; 5 is the least height that they have.
    const problem = { ...problemOf('torus:4x4', 2 ** 26), chunks: 4 * 60 };
    const message = 2 ** 26 / 4 / 60;
    const step = 1e-6 + message / 1e10 + (4 * message) / 5e10;
    const seconds = secondsOf(problem);
    expect(seconds).toBeLessThan((60 + 6) * step);
    expect(seconds).toBeGreaterThan(59 * step);
  });

  it.each([
    ['torus:4x4', 0.95],
    ['hypercube:4', 0.95],
    ['ring:16', 0.94],
    ['full:8', 0.9],
  ])('come near the bound on %s for large messages', (name, least) => {
    const problem = problemOf(name, 2 ** 30);
    const { seconds } = lowerBound(problem.collective, problem.routes.topology, problem.size);
    expect(seconds / secondsOf(problem)).toBeGreaterThan(least);
  });

  it('are the same for the same seed', () => {
    const steps = [1, 2].map(() => proposals(problemOf('hypercube:3', 2 ** 22)).candidates[0].build(1).steps);
    expect(steps[0]).toEqual(steps[1]);
  });

  it('are for reductions without overlap, operators that commute and chips without switches in between', () => {
    expect(proposals(problemOf('sg2260x4', 2 ** 20))).toEqual({ candidates: [], dismissals: [] });
    expect(proposals(problemOf('torus:4x4', 2 ** 20, { kind: 'broadcast' })).candidates).toEqual([]);
    expect(proposals(problemOf('ring:4', 2 ** 20, { ordered: true })).dismissals[0].reason).toContain('commutes');
    expect(proposals(problemOf('switch:4', 2 ** 20)).dismissals[0].reason).toContain('switches');
    expect(proposals({ ...problemOf('ring:4', 2 ** 20), chunks: 3 }).dismissals[0].reason).toContain('multiple of 2');
  });
});

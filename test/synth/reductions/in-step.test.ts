/** Reductions in step: right, and as fast as their closed forms say. */
import { describe, expect, it } from 'vitest';
import type { Collective } from '../../../src/ir/collective.ts';
import { Routes } from '../../../src/ir/routes.ts';
import type { Schedule } from '../../../src/ir/schedule.ts';
import { ranksOf, type Topology } from '../../../src/ir/topology.ts';
import { lower } from '../../../src/lower/index.ts';
import { simulate } from '../../../src/model/index.ts';
import { resolveTopology, withoutLink } from '../../../src/read/index.ts';
import { type Candidate, engines } from '../../../src/synth/index.ts';
import { prove } from '../../../src/verify/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { candidatesAmong, problemFor } from '../problems.ts';

function candidatesOf(topology: Topology, size: number, changes: Partial<Collective>): Candidate[] {
  const problem = problemFor({ ...collectiveOf('reduce', ranksOf(topology)), ...changes }, topology, { size });
  const proposals = engines.find(({ name }) => name === 'in-step')?.propose(problem) ?? [];
  return candidatesAmong(proposals);
}

const broken = withoutLink(resolveTopology('torus:4x4'), 0, 1);

/** Simulated seconds of a schedule, which must be correct. */
function secondsOf(schedule: Schedule, topology: Topology, size: number): number {
  const plan = lower(schedule);
  expect(prove(plan, { topology }).verification.verdict).toBe('correct');
  return simulate(plan, new Routes(topology), size).seconds;
}

describe('reductions in step', () => {
  it.each(['reduce', 'reducescatter', 'allreduce'] as const)('are correct for a %s where a link is missing', (kind) => {
    for (const inPlace of [false, true]) {
      const candidates = candidatesOf(broken, 2 ** 20, { kind, inPlace, root: 5 });
      expect(candidates.length).toBeGreaterThan(0);
      for (const candidate of candidates) secondsOf(candidate.build(1), broken, 2 ** 20);
    }
  });

  it.each(['torus:4x4', 'hypercube:4', 'torus:8x8'])(
    'take less time than their closed form says, on %s without a link',
    (name) => {
      // All steps send over three links a chip, since one chip has no more: at best 2α + n/β and no more than four reductions.
      const topology = withoutLink(resolveTopology(name), 0, 1);
      const size = 2 ** 28;
      const [candidate] = candidatesOf(topology, size, { kind: 'reducescatter' });
      const schedule = candidate.build(1);
      const ranks = ranksOf(topology);
      const sent = ((ranks - 1) / ranks) * (size / 3);
      const seconds = secondsOf(schedule, topology, size);
      expect(seconds).toBeLessThan(1.1 * sent * (1 / 1e10 + 4 / 5e10));
      expect(seconds).toBeGreaterThan(sent / 1e10);
    },
  );

  it('are left to others where chips send while they reduce, and where all ranks do the same', () => {
    expect(candidatesOf(resolveTopology('sg2260x4'), 2 ** 20, { kind: 'allreduce' })).toEqual([]);
    expect(candidatesOf(resolveTopology('torus:4x4'), 2 ** 20, { kind: 'reducescatter' })).toEqual([]);
    expect(candidatesOf(broken, 0, { kind: 'allreduce' })).toEqual([]);
  });
});

describe('packets up and down trees', () => {
  const named = (candidates: readonly Candidate[]) => candidates.filter(({ name }) => name.includes('up and down'));

  it('take less than a reducescatter and an allgather where one chip has fewer links', () => {
    // 31 of 32 links are left, and trees take 15 each: two of them. Each carries M/2 up and down, and each chip reduces M: no
    // rank sends for longer than M/2β and reduces for longer than M/γ. A reducescatter and an allgather take 15/16·2M/3β alone.
    const size = 2 ** 30;
    const [candidate] = named(candidatesOf(broken, size, { kind: 'allreduce' }));
    const seconds = secondsOf(candidate.build(1), broken, size);
    expect(seconds).toBeGreaterThan(size * (0.5e-10 + 2e-11));
    expect(seconds).toBeLessThan(1.15 * size * (0.5e-10 + 2e-11));
  });

  it('share connections where these are not a whole number of trees', () => {
    // 24 connections and trees of 15: eight trees over five copies of each connection carry 5/8·M both ways over each. A chip with four
    // links is in 20 connections of trees and reduces 20 − 8 of 8 parts. One tree would carry all of M over each of its links.
    const size = 2 ** 30;
    const grid = resolveTopology('mesh:4x4');
    const [candidate] = named(candidatesOf(grid, size, { kind: 'allreduce' }));
    const seconds = secondsOf(candidate.build(1), grid, size);
    expect(seconds).toBeGreaterThan(size * 0.625e-10);
    expect(seconds).toBeLessThan(1.12 * size * (0.625e-10 + 1.5 * 2e-11));
  });

  it('are tried along a line for 1 MiB, where they take no longer than packets of which every step reduces one', () => {
    // 7 steps up and 7 down: k packets take k + 13 steps at most.
    const [size, line] = [2 ** 20, resolveTopology('line:8')];
    const [candidate] = named(candidatesOf(line, size, { kind: 'allreduce' }));
    const times = Array.from({ length: 99 }, (_, k) => (k + 14) * (1e-6 + (size * 1.2e-10) / (k + 1)));
    expect(secondsOf(candidate.build(1), line, size)).toBeLessThan(Math.min(...times));
  });
});

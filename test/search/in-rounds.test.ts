/** The last stage of a compilation: it never makes a plan worse, says what it did, and is not asked where nothing can be gained. */
import { describe, expect, it } from 'vitest';
import { randomGraph } from '../../bench/drawn-machines.ts';
import { lowerBound } from '../../src/bounds/index.ts';
import { searchDefaults } from '../../src/index.ts';
import type { CollectiveKind } from '../../src/ir/collective.ts';
import { Random } from '../../src/ir/random.ts';
import { Routes } from '../../src/ir/routes.ts';
import { ranksOf, type Topology } from '../../src/ir/topology.ts';
import { simulate } from '../../src/model/index.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { type CompileRequest, searchPlan } from '../../src/search/compile.ts';
import { mayGainInRounds, withRounds } from '../../src/search/in-rounds.ts';
import { loadSolver } from '../../src/solver/index.ts';
import { collectiveOf, dataKinds } from '../collectives.ts';

const mebibyte = 2 ** 20;

function requestFor(kind: CollectiveKind, topology: Topology, wishes: Partial<CompileRequest> = {}): CompileRequest {
  return { ...searchDefaults, collective: collectiveOf(kind, ranksOf(topology)), topology, size: mebibyte, ...wishes };
}

describe('the stage of rounds', () => {
  it.each([
    ['dgx1', 17.38e-6],
    ['mi250', 17.6e-6],
  ])('brings an allreduce of %s under what compositions of allgathers reach', async (machine, limit) => {
    const request = requestFor('allreduce', resolveTopology(machine));
    const before = searchPlan(request);
    expect(mayGainInRounds(before, request)).toBe(true);
    const seen: number[] = [];
    const after = withRounds(before, request, await loadSolver('highs'), (rounds) => seen.push(rounds));
    const { proved, cost } = after.bundle;
    expect(cost.seconds).toBeLessThanOrEqual(limit);
    expect(simulate(proved.plan, new Routes(request.topology), mebibyte).seconds).toBe(cost.seconds);
    expect(after.inRounds).toMatchObject({ before: before.bundle.cost.seconds, after: cost.seconds });
    expect(seen).toContain(after.inRounds?.rounds);
    expect(after.candidates.map(({ status }) => status)).toEqual(['chosen', ...before.candidates.map(() => 'slower')]);
    expect(after.candidates[0].seconds).toBe(cost.seconds);
  });

  it('never makes a plan slower, and goes under no bound', async () => {
    const solver = await loadSolver('highs');
    const random = new Random(29);
    const kinds = dataKinds.filter((kind) => kind !== 'alltoall' && kind !== 'exscan');
    let better = 0;
    for (let draw = 0; draw < 8; draw++) {
      const topology = randomGraph(random);
      if (ranksOf(topology) > 8) continue;
      const request = requestFor(kinds[draw % kinds.length], topology, {
        size: 2 ** (16 + random.below(6)),
        effort: 'quick',
      });
      const before = searchPlan(request);
      const after = withRounds(before, request, solver);
      expect(after.bundle.cost.seconds).toBeLessThanOrEqual(before.bundle.cost.seconds);
      const bound = lowerBound(request.collective, topology, request.size).seconds;
      expect(after.bundle.cost.seconds).toBeGreaterThan(bound * (1 - 1e-9));
      if (after.bundle.cost.seconds < before.bundle.cost.seconds) better++;
    }
    expect(better).toBeGreaterThan(0);
  });

  it('is not for plans at their bound, many ranks, or what was asked for by name', () => {
    const four = requestFor('allgather', resolveTopology('sg2260x4'));
    expect(mayGainInRounds(searchPlan(four), four)).toBe(false);
    const dgx1 = resolveTopology('dgx1');
    for (const wishes of [
      { engine: 'list' },
      { algorithm: 'ring-allreduce' },
      { bulks: 2 },
      { objective: 'latency' as const },
    ]) {
      const asked = requestFor('allreduce', dgx1, wishes);
      expect(mayGainInRounds(searchPlan(asked), asked)).toBe(false);
    }
    const many = requestFor('allreduce', resolveTopology('mesh:3x6'), { effort: 'quick' });
    expect(mayGainInRounds(searchPlan(many), many)).toBe(false);
  });
});

/** Plans with chunks of unequal size, from the problem to results in memory. */
import { describe, expect, it } from 'vitest';
import { searchDefaults } from '../../../../src/index.ts';
import type { CollectiveKind } from '../../../../src/ir/collective.ts';
import { Routes } from '../../../../src/ir/routes.ts';
import { timeline } from '../../../../src/model/index.ts';
import { resolveTopology } from '../../../../src/read/index.ts';
import { run } from '../../../../src/run/index.ts';
import { type CompileRequest, searchPlan } from '../../../../src/search/compile.ts';
import { emitters } from '../../../../src/targets/index.ts';
import { collectiveOf } from '../../../collectives.ts';

function request(kind: CollectiveKind, changes: Partial<CompileRequest> = {}): CompileRequest {
  return {
    collective: collectiveOf(kind, 4),
    topology: resolveTopology('sg2260x4'),
    size: 64 * 2 ** 20,
    ...searchDefaults,
    ...changes,
  };
}

describe('a plan with chunks of unequal size', () => {
  const { bundle, candidates } = searchPlan(request('reducescatter'));
  const routes = new Routes(bundle.topology ?? resolveTopology('sg2260x4'));

  it('is next to the bound where equal bulks are further away, because the last message has to be reduced', () => {
    const [best] = candidates;
    expect(best.optimality).toBeGreaterThan(0.99);
    expect(bundle.origin?.tuned).toBe('sizes');
    const sizes = bundle.origin?.sizes;
    if (!Array.isArray(sizes)) throw new Error('sizes are a list');
    expect(new Set(sizes).size).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(bundle.proved.plan.collective.chunks);
    const equal = candidates.filter(({ name }) => !name.endsWith(', sized'));
    expect(best.seconds).toBeLessThan(0.98 * Math.min(...equal.map(({ seconds }) => seconds)));
  });

  it('has the right results on real buffers, also where chunks are not whole elements', async () => {
    for (const size of [2 ** 16, 4 * 1001 * 4]) {
      const result = await run(bundle.proved, {
        ...{ size, dtype: 'f32', repetitions: 1, warmups: 0, inputs: 'exact', seed: 1, check: true, record: false },
        threads: 0,
      });
      expect(result.wrong).toEqual([]);
    }
  });

  it.each(emitters.filter(({ ownership }) => ownership === undefined).map((emitter) => [emitter.name, emitter]))(
    'can be written as %s',
    (_, emitter) => {
      const timed = { ...bundle, timeline: () => timeline(bundle.proved.plan, routes, 64 * 2 ** 20) };
      expect(emitter.check(timed)).toEqual([]);
    },
  );

  it('is the same every time', () => {
    const again = searchPlan(request('reducescatter')).bundle;
    expect(again.proved.plan.ops).toEqual(bundle.proved.plan.ops);
  });
});

describe('equal chunks stay', () => {
  it.each<[string, Partial<CompileRequest>]>([
    ['chunks are given', { chunks: 4 }],
    ['bulks are given', { bulks: 4 }],
    ['an algorithm is asked for', { algorithm: 'ring' }],
    ['another objective is asked for', { objective: 'bandwidth' }],
    ['there is no more time', { shouldStop: () => true }],
  ])('where %s', (_, changes) => {
    const { candidates } = searchPlan(request('reducescatter', changes));
    expect(candidates.filter(({ name }) => name.endsWith(', sized'))).toEqual([]);
  });

  it('where the bound is met', () => {
    const { candidates } = searchPlan(request('allgather'));
    expect(candidates[0].optimality).toBeCloseTo(1, 6);
    expect(candidates.filter(({ name }) => name.endsWith(', sized'))).toEqual([]);
  });
});

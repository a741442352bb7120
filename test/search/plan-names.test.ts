/** Names of plans are short, and the origin holds the recipe that tells how a plan was composed. */
import { describe, expect, it } from 'vitest';
import { type CollectiveKind, resolveTopology, searchDefaults, searchPlan } from '../../src/index.ts';
import { compileGroups } from '../../src/process-groups/groups.ts';
import { collectiveOf } from '../collectives.ts';

const longest = 40;

function compiled(kind: CollectiveKind, machine: string, engine: string, size: number) {
  const topology = resolveTopology(machine);
  const collective = collectiveOf(kind, topology.chips.length);
  return searchPlan({ ...searchDefaults, collective, topology, size, engine });
}

describe('the name of a composed plan', () => {
  it.each([
    ['reduce', 'sg2260x4', 'levels', 'reduce-sg2260x4-levels'],
    ['allreduce', 'dgx1', 'trees', 'allreduce-dgx1-trees'],
    ['reducescatter', 'torus:3x3', 'symmetric', 'reducescatter-torus-3x3-symmetric'],
    ['allgather', 'fattree:4,4,2', 'list', 'allgather-fattree-4,4,2-list'],
  ] as const)('is the collective, the machine and the engine: %s on %s by %s', (kind, machine, engine, name) => {
    const { bundle, candidates } = compiled(kind, machine, engine, 2 ** 20);
    expect(bundle.proved.plan.name).toBe(name);
    expect(name.length).toBeLessThanOrEqual(longest);
    const [chosen] = candidates.filter(({ status }) => status === 'chosen');
    expect(bundle.origin).toMatchObject({ engine, recipe: chosen.name });
  });

  it('stays as it is when message sizes are tuned, which the recipe says', () => {
    const { bundle } = compiled('reduce', 'sg2260x4', 'list', 2 ** 20);
    expect(bundle.origin?.tuned).toBe('sizes');
    expect(bundle.proved.plan.name).toBe('reduce-sg2260x4-list');
    expect(bundle.origin?.recipe).toBe(`${bundle.origin?.schedule}, sized`);
  });
});

describe('the name of a textbook algorithm', () => {
  it('is the algorithm and the machine', () => {
    const { bundle } = compiled('allgather', 'sg2260x4', 'library', 2 ** 26);
    expect(bundle.proved.plan.name).toBe('halved-ring-allgather-sg2260x4');
    expect(bundle.origin?.recipe).toBe('halved-ring-allgather');
  });

  it('says for plans of several groups how many there are', () => {
    const topology = resolveTopology('ring:6');
    const collective = collectiveOf('allgather', 3);
    const request = { ...searchDefaults, collective, topology, size: 3000, algorithm: 'ring-allgather' };
    const { bundle } = compileGroups(request, [
      [0, 1, 2],
      [3, 4, 5],
    ]);
    expect(bundle.proved.plan.name).toBe('ring-allgather-ring-6-in-2-groups');
    expect(bundle.origin?.recipe).toMatch(/^ring-allgather.* in 2 groups$/);
  });
});

/** Schedules in which all ranks do the same, shifted: so do the programs that they are lowered to. */
import { describe, expect, it } from 'vitest';
import { expandCompact } from '../../src/ir/expand.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import { Routes } from '../../src/ir/routes.ts';
import type { Schedule } from '../../src/ir/schedule.ts';
import { Steps } from '../../src/ir/schedule.ts';
import { lower } from '../../src/lower/index.ts';
import { firstProgram } from '../../src/model/simulate/shifted.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { engines } from '../../src/synth/index.ts';
import { verify } from '../../src/verify/index.ts';
import { collectiveOf } from '../collectives.ts';

/** What the symmetric engine makes, in as many chunks as suit it and in twice as many. */
function schedulesFor(name: string, inPlace: boolean): readonly Schedule[] {
  const topology = resolveTopology(name);
  const problem = { ...{ topology, routes: new Routes(topology), size: 2 ** 20, seed: 0 }, limits: defaultLimits };
  const wanted = collectiveOf('allgather', topology.chips.length, { inPlace });
  const engine = engines.find((known) => known.name === 'symmetric');
  const request = {
    ...problem,
    collective: wanted,
    parameters: {},
    byName: false,
    chunks: undefined,
    algorithm: undefined,
  };
  return [...(engine?.propose(request) ?? [])].flatMap((proposal) =>
    proposal.kind === 'candidate' ? [proposal.candidate.build(1), proposal.candidate.build(2)] : [],
  );
}

const names = ['ring:2', 'ring:7', 'torus:3x4', 'torus:2x2x3', 'torus:4x4', 'hypercube:4', 'full:5'];

describe.each(names)('allgathers on %s', (name) => {
  it.each([false, true])('are right, and one program for all ranks; in place: %s', (inPlace) => {
    const topology = resolveTopology(name);
    const schedules = schedulesFor(name, inPlace);
    expect(schedules.length).toBeGreaterThan(0);
    for (const schedule of schedules) {
      const { shape } = schedule.steps;
      expect(shape?.reduce((product, extent) => product * extent, 1)).toBe(topology.chips.length);
      for (const bulks of [1, 6]) {
        const plan = lower(schedule, { bulks });
        const options = { topology, ownership: 'strict', inflight: 0 } as const;
        expect(verify(plan, options).verdict).toBe('correct');
        const written = expandCompact(firstProgram(plan, shape ?? []));
        expect({ ...written, rounds: plan.rounds }).toEqual(plan);
      }
    }
  });

  it('send the same as when every rank is lowered by itself, with hardly more copies', () => {
    for (const schedule of schedulesFor(name, false)) {
      const asOne = lower(schedule).ops.kind;
      const apart = lower({ ...schedule, steps: new Steps({ ...schedule.steps, shape: undefined }) }).ops.kind;
      const countOf = (kinds: Int32Array, wanted: number): number => kinds.filter((kind) => kind === wanted).length;
      for (const messages of [2, 3]) expect(countOf(asOne, messages)).toBe(countOf(apart, messages));
      expect(asOne.length).toBeLessThanOrEqual(apart.length * 1.05);
    }
  });
});

it('Ranks that can move neighbouring shards at once keep programs of their own', () => {
  for (const { steps } of schedulesFor('switch:6', false)) expect(steps.shape).toBeUndefined();
});

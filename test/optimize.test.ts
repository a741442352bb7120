/** Optimising given schedules: never worse, never unproved, and as good as closed forms say where they say it. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { planJson, searchDefaults, searchPlan } from '../src/index.ts';
import { defaultLimits } from '../src/ir/limits.ts';
import { Routes } from '../src/ir/routes.ts';
import { simulate } from '../src/model/index.ts';
import { type OptimizeRequest, optimize } from '../src/optimize/index.ts';
import { resolveTopology } from '../src/read/index.ts';
import { verify } from '../src/verify/index.ts';

const size = 64 * 2 ** 20;

function requestFor(topo: string, changes: Partial<OptimizeRequest> = {}): OptimizeRequest {
  const common = { root: 0, op: 'sum', ordered: false, inPlace: false, parameters: {}, dtype: 'f32' } as const;
  return { ...common, topology: resolveTopology(topo), size, limits: defaultLimits, ...changes };
}

function shipped(name: string) {
  const path = new URL(`../schedules/${name}.yaml`, import.meta.url).pathname;
  return { name: path, text: readFileSync(path, 'utf8') };
}

describe('a ring that uses one direction of its links', () => {
  it('gets both, and with them half of the bytes on each', async () => {
    const request = requestFor('ring:4');
    const { bandwidth } = request.topology.links[0];
    const { before, seconds } = await optimize(shipped('ring-allgather'), request);
    // One way every link carries 3/4 · M, both ways half of that: latency aside, which is little for 64 MiB.
    expect(before.seconds).toBeGreaterThan((0.75 * size) / bandwidth);
    expect(seconds).toBeGreaterThanOrEqual((0.375 * size) / bandwidth);
    expect(seconds).toBeLessThan(((0.375 * size) / bandwidth) * 1.01);
  });
});

describe('ranks that are no neighbours', () => {
  it('are put in an order in which they are', async () => {
    // Every second chip of a ring of eight: the ring of ranks 0 … 7 goes round twice as far.
    const topology = { ...resolveTopology('ring:8'), chips: [0, 3, 6, 1, 4, 7, 2, 5] };
    const request = requestFor('ring:8', { topology });
    const straight = await optimize(shipped('ring-allgather'), requestFor('ring:8'));
    const { before, seconds, improvements } = await optimize(shipped('ring-allgather'), request);
    expect(before.seconds).toBeGreaterThan(straight.before.seconds * 1.5);
    expect(seconds).toBeCloseTo(straight.seconds, 9);
    expect(improvements.map(({ what }) => what).join()).toContain('order');
  });
});

describe('a ring on a machine of many rings', () => {
  it('gets more than two', async () => {
    // Every chip of DGX-1 has six links of one speed out: a ring in both directions uses two of them.
    const request = requestFor('dgx1');
    const { before, seconds, bound } = await optimize(shipped('ring-allgather'), request);
    expect(bound.seconds / before.seconds).toBeLessThan(1 / 6);
    expect(bound.seconds / seconds).toBeGreaterThan(0.5);
  });
});

describe('messages that all pass the same chip', () => {
  it('take the other way round too', async () => {
    // On a ring of four both neighbours of the root and the chip opposite get a quarter each; of the last quarter half goes either way.
    const request = requestFor('ring:4');
    const { bandwidth } = request.topology.links[0];
    const { before, seconds, improvements } = await optimize(shipped('linear-scatter'), request);
    expect(before.seconds).toBeGreaterThan((0.5 * size) / bandwidth);
    expect(seconds).toBeLessThan(((0.375 * size) / bandwidth) * 1.02);
    expect(improvements.map(({ what }) => what).join()).toContain('less loaded');
  });
});

describe('whatever is given', () => {
  it.each([
    ['recursive-doubling-allreduce', 'ring:4'],
    ['binomial-broadcast', 'sg2260x4'],
    ['linear-reduce', 'ring:5'],
    ['pairwise-alltoall', 'torus:2x3'],
    ['binomial-scatter', 'switch:6'],
    ['hypercube-scan', 'hypercube:3'],
  ])('%s on %s comes back proved and no slower', async (name, topo) => {
    const request = requestFor(topo);
    const { bundle, before, seconds, bound } = await optimize(shipped(name), request);
    const { plan } = bundle.proved;
    expect(verify(plan, { topology: request.topology }).verdict).toBe('correct');
    expect(simulate(plan, new Routes(request.topology), size).seconds).toBe(seconds);
    expect(seconds).toBeLessThanOrEqual(before.seconds);
    expect(seconds).toBeGreaterThanOrEqual(bound.seconds * (1 - 1e-9));
    expect(plan.collective.root).toBe(0);
  });

  it('keeps the root that was asked for', async () => {
    const { bundle, seconds, before } = await optimize(
      shipped('chain-broadcast'),
      requestFor('torus:2x3', { root: 4 }),
    );
    expect(bundle.proved.plan.collective).toMatchObject({ kind: 'broadcast', root: 4 });
    expect(seconds).toBeLessThan(before.seconds);
  });

  it('is improved as a plan too', async () => {
    const { bundle } = await optimize(shipped('ring-allgather'), requestFor('switch:4', { size: 0 }));
    const plan = { name: 'plan.json', text: planJson(bundle) };
    const { before, seconds } = await optimize(plan, requestFor('ring:4'));
    expect(seconds).toBeLessThan(before.seconds * 0.51);
  });
});

describe('a plan whose steps mean nothing', () => {
  it('is put in the steps that its dependencies say', async () => {
    const { bundle } = await optimize(shipped('ring-allgather'), requestFor('switch:4', { size: 0 }));
    const text = planJson(bundle).replaceAll(/"step": *\d+/g, '"step": 0');
    expect(text).not.toBe(planJson(bundle));
    const { before, seconds } = await optimize({ name: 'plan.json', text }, requestFor('ring:4'));
    expect(seconds).toBeLessThan(before.seconds * 0.51);
  });
});

describe('a schedule that is wrong to begin with', () => {
  it('is not optimised but told', async () => {
    const text = shipped('ring-allgather').text.replace('1 .. N-1', '1 .. N-2');
    expect(text).not.toBe(shipped('ring-allgather').text);
    const wrong = optimize({ name: 'wrong.yaml', text }, requestFor('ring:4'));
    await expect(wrong).rejects.toMatchObject({ code: 'unproved' });
  });

  it('for another number of ranks is told', async () => {
    const { bundle } = await optimize(shipped('ring-allgather'), requestFor('ring:4'));
    const plan = { name: 'plan.json', text: planJson(bundle) };
    await expect(optimize(plan, requestFor('ring:6'))).rejects.toThrow(/ranks/);
  });
});

describe('a search that is ended', () => {
  it('says so once, and has what it was given where it had no time for anything', async () => {
    const request = requestFor('ring:4', { shouldStop: () => true });
    const { before, seconds, notes, engines, stoppedEarly } = await optimize(shipped('ring-allgather'), request);
    expect(notes).toEqual(['the search was ended before everything was tried']);
    expect(seconds).toBeLessThanOrEqual(before.seconds);
    expect({ engines, stoppedEarly }).toEqual({ engines: undefined, stoppedEarly: true });
  });
});

describe('what nothing else makes fast', () => {
  it('is made from scratch, with rounds by linear programming where they help', async () => {
    const request = requestFor('dgx1', { size: 2 ** 20, solver: 'highs' });
    const { improvements, seconds, bundle } = await optimize(shipped('ring-allreduce'), request);
    expect(improvements.at(-1)?.what).toMatch(/compiled from scratch: allreduce-dgx1-ilp$/);
    expect(bundle.origin?.recipe).toMatch(/^ilp-/);
    expect(seconds).toBeLessThanOrEqual(17.5e-6);
    expect(seconds).toBe(simulate(bundle.proved.plan, new Routes(request.topology), 2 ** 20).seconds);
  });

  it('is never slower than what compile finds', async () => {
    for (const name of ['ring-allgather', 'bruck-allgather', 'binomial-broadcast', 'pairwise-alltoall']) {
      const request = requestFor('sg2260x4', { size: 2 ** 20 });
      const { seconds, engines, bundle } = await optimize(shipped(name), request);
      const { collective } = bundle.proved.plan;
      const { topology } = request;
      const compiled = searchPlan({ ...searchDefaults, collective, topology, size: 2 ** 20 });
      expect(seconds).toBeLessThanOrEqual(compiled.bundle.cost.seconds);
      expect(engines?.seconds).toBe(compiled.bundle.cost.seconds);
    }
  });
});

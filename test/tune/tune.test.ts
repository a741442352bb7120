/** Tuning by size: switch points against crossings known in closed form. */
import { describe, expect, it } from 'vitest';
import { searchDefaults, searchPlan } from '../../src/index.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { rangesFor, sizeSeries } from '../../src/tune/ranges.ts';
import { tuneSizes } from '../../src/tune/tune.ts';
import { requestFor } from './request.ts';

describe('sizes', () => {
  it('are evenly spaced by ratio, both ends included', () => {
    expect(sizeSeries(1024, 2 ** 30, 21)).toEqual(Array.from({ length: 21 }, (_, index) => 1024 * 2 ** index));
  });

  it('are whole and never repeat', () => {
    expect(sizeSeries(1, 4, 20)).toEqual([1, 2, 3, 4]);
    expect(sizeSeries(7, 7, 5)).toEqual([7]);
    expect(sizeSeries(7, 30, 9, 4)).toEqual([7, 8, 12, 16, 20, 24, 30]);
    expect(sizeSeries(7, 31, 40, 8)).toEqual([7, 8, 16, 24, 31]);
  });
});

describe('ranges', () => {
  it('switch where the closed forms of two algorithms cross', () => {
    // Four ranks of one port each: binomial takes 2(α + M/β), scatter and ring allgather 5α + 3/2 · M/β, so that they cross at 6αβ.
    const topology = resolveTopology('switch:4');
    const up = topology.links[0];
    const alpha =
      topology.links.filter(({ from }) => from === up.from)[0].latency +
      (topology.links.find(({ to, from }) => from === up.to && to !== up.from)?.latency ?? 0);
    const request = requestFor('broadcast', 'switch:4', 8, { engine: 'library', bulks: 1 });
    const { pool, sizes } = tuneSizes(request);
    const two = pool.filter(({ algorithm }) =>
      ['binomial-broadcast', 'scatter-ring-allgather-broadcast'].includes(algorithm),
    );
    const ranges = rangesFor(
      two,
      sizes.map(({ size }) => size),
      0,
    );
    expect(ranges.map(({ plan }) => plan.algorithm)).toEqual([
      'binomial-broadcast',
      'scatter-ring-allgather-broadcast',
    ]);
    const crossing = 6 * alpha * up.bandwidth;
    expect(ranges[1].from / crossing).toBeGreaterThan(0.99);
    expect(ranges[1].from / crossing).toBeLessThan(1.01);
  });

  it('have no gaps and cover all sizes', () => {
    const { ranges, sizes } = tuneSizes(requestFor('broadcast', 'sg2260x4', 7));
    expect(ranges[0].from).toBe(sizes[0].size);
    expect(ranges[ranges.length - 1].to).toBe(sizes[sizes.length - 1].size);
    for (let index = 1; index < ranges.length; index++) expect(ranges[index].from).toBe(ranges[index - 1].to);
  });

  it.each(['allreduce', 'allgather', 'broadcast', 'alltoall'] as const)(
    'use plans for %s as good as compiling for each size',
    (kind) => {
      const request = requestFor(kind, 'sg2260x4', 6);
      for (const { size, seconds, bestSeconds, optimality } of tuneSizes(request).sizes) {
        const compiled = searchPlan({ ...searchDefaults, ...request, size }).bundle.cost.seconds;
        expect(seconds).toBeLessThanOrEqual(compiled * 1.02);
        expect(seconds).toBeLessThanOrEqual(bestSeconds * 1.01);
        expect(optimality).toBeLessThanOrEqual(1);
      }
    },
    60_000,
  );

  it('are fewer when plans may be further from the best', () => {
    const count = (tolerance: number) => tuneSizes(requestFor('broadcast', 'sg2260x4', 11, { tolerance })).plans.length;
    expect(count(0.2)).toBeLessThan(count(0));
  });

  it('are the same every time', () => {
    const ranges = () =>
      tuneSizes(requestFor('reduce', 'sg2260x4', 6)).ranges.map(({ from, plan }) => [from, plan.algorithm]);
    expect(ranges()).toEqual(ranges());
  });
});

describe('what cannot be tuned', () => {
  it('is an engine that does not exist', () => {
    expect(() => tuneSizes(requestFor('allreduce', 'ring:4', 3, { engine: 'magic' }))).toThrow(
      /no engine is called 'magic'/,
    );
  });

  it('is told with the reasons', () => {
    const request = requestFor('allreduce', 'ring:5', 3, { engine: 'levels' });
    expect(() => tuneSizes(request)).toThrow(/no plan for allreduce on ring:5/);
  });
});

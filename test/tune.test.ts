/** Tuning by size: switch points against crossings known in closed form, tables of other libraries, fixed rules. */
import { describe, expect, it } from 'vitest';
import { compile, compileDefaults } from '../src/index.ts';
import type { Collective, CollectiveKind } from '../src/ir/collective.ts';
import { resolveTopology } from '../src/read/index.ts';
import { compareWithRules } from '../src/tune/comparing.ts';
import { ruleBooks } from '../src/tune/fixed-rules.ts';
import { ncclTable } from '../src/tune/nccl.ts';
import { openMpiRules } from '../src/tune/open-mpi.ts';
import { rangesFor, sizeSeries } from '../src/tune/ranges.ts';
import { type TuneRequest, tuneSizes } from '../src/tune/tune.ts';

function requestFor(kind: CollectiveKind, topo: string, points: number, changes: Partial<TuneRequest> = {}) {
  const topology = resolveTopology(topo);
  const ranks = topology.chips.length;
  const collective: Collective = { kind, ranks, chunks: 1, root: 0, op: 'sum', ordered: false, inPlace: false };
  const sizes = sizeSeries(2 ** 10, 2 ** 30, points);
  return { ...compileDefaults, collective, topology, sizes, tolerance: 0.01, ...changes } satisfies TuneRequest;
}

describe('sizes', () => {
  it('are evenly spaced by ratio, both ends included', () => {
    expect(sizeSeries(1024, 2 ** 30, 21)).toEqual(Array.from({ length: 21 }, (_, index) => 1024 * 2 ** index));
  });

  it('are whole and never repeat', () => {
    expect(sizeSeries(1, 4, 20)).toEqual([1, 2, 3, 4]);
    expect(sizeSeries(7, 7, 5)).toEqual([7]);
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
        const compiled = compile({ ...compileDefaults, ...request, size }).bundle.cost.seconds;
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
    const request = requestFor('allreduce', 'ring:4', 3, { engine: 'hierarchical' });
    expect(() => tuneSizes(request)).toThrow(/no plan for allreduce on ring:4/);
  });
});

describe('rules for other libraries', () => {
  const tuned = [4, 8].map((ranks) => tuneSizes(requestFor('allreduce', `switch:${ranks}`, 6, { engine: 'library' })));

  it('are a complete file for Open MPI', () => {
    const text = openMpiRules('allreduce', tuned, 0.01) ?? '';
    const rows = text.trimEnd().split('\n');
    const numbers = rows.map((row) => row.replace(/ *#.*/, '').split(' ').map(Number));
    expect(numbers.slice(0, 3)).toEqual([[1], [2], [2]]);
    let at = 3;
    for (const ranks of [4, 8]) {
      expect(numbers[at]).toEqual([ranks]);
      const [count] = numbers[at + 1];
      const rules = numbers.slice(at + 2, at + 2 + count);
      expect(rules[0][0]).toBe(0);
      expect(rules.every((rule) => rule.length === 4 && rule[1] >= 1 && rule[1] <= 6)).toBe(true);
      at += 2 + count;
    }
    expect(at).toBe(numbers.length);
  });

  it('cover all sizes once in the table for NCCL', () => {
    const rows = (ncclTable('allreduce', tuned, 0.01) ?? '').split('\n').filter((row) => row.startsWith('allreduce,'));
    for (const ranks of ['4', '8']) {
      const ranges = rows.map((row) => row.split(',')).filter((row) => row[7] === ranks);
      expect(ranges[0][1]).toBe('0');
      expect(ranges[ranges.length - 1][2]).toBe('4294967295');
      ranges.slice(1).forEach((row, index) => {
        expect(Number(row[1])).toBe(Number(ranges[index][2]) + 1);
      });
      expect(ranges.every((row) => row.length === 10 && ['ring', 'tree'].includes(row[3]))).toBe(true);
    }
  });

  it('do not exist where the library has no such collective', () => {
    const alltoall = [tuneSizes(requestFor('alltoall', 'switch:4', 3, { engine: 'library' }))];
    expect(ncclTable('alltoall', alltoall, 0.01)).toBeUndefined();
  });
});

describe('fixed rules', () => {
  const [mpich, openMpi] = ruleBooks;
  it.each([
    [4, 2 ** 10, 'recursive-doubling-allgather'],
    [6, 2 ** 10, 'bruck-allgather'],
    [4, 2 ** 20, 'ring-allgather'],
  ])('of MPICH take for an allgather of %i ranks and %i bytes the %s', (ranks, size, schedule) => {
    expect(mpich.rules.allgather?.(ranks, size)).toEqual({ schedule });
  });

  it.each([
    [4, 9_999, 'recursive-doubling-allreduce'],
    [4, 10_000, 'ring-allreduce'],
    [4, 4 * 2 ** 20, 'ring-allreduce'],
    [4, 4 * 2 ** 20 + 1, 'segmented-ring-allreduce'],
  ])('of Open MPI take for an allreduce of %i ranks and %i bytes the %s', (ranks, size, schedule) => {
    expect(openMpi.rules.allreduce?.(ranks, size).schedule).toBe(schedule);
  });

  it('are timed on the machine and compared with what was tuned', () => {
    const request = requestFor('allgather', 'sg2260x4', 3);
    const result = tuneSizes(request);
    const compared = compareWithRules(request, result);
    expect(compared.map(({ library }) => library)).toEqual(['MPICH', 'Open MPI']);
    for (const { outcomes } of compared) {
      expect(outcomes).toHaveLength(3);
      outcomes.forEach(({ seconds, ratio, size, choice: { schedule } }, index) => {
        const alone = compile({
          ...compileDefaults,
          ...request,
          size,
          algorithm: schedule,
          engine: 'library',
          bulks: 1,
        });
        // Compiling may put a ring in a better order than a library knows of.
        expect(seconds).toBeGreaterThanOrEqual(alone.bundle.cost.seconds * (1 - 1e-9));
        expect(ratio).toBeCloseTo(seconds / result.sizes[index].seconds, 9);
      });
    }
  });
});

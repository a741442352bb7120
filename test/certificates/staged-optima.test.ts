/** Least times on machines that stage messages: a pipeline by hand, and the instances by which docs/sg2260.md says what is loose. */
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { type CompileRequest, searchDefaults, searchPlan } from '../../src/index.ts';
import type { CollectiveKind } from '../../src/ir/collective.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { collectiveOf } from '../collectives.ts';
import { line } from '../model/machines.ts';
import { optimum } from './optima.ts';

describe('the least time of a staged broadcast', () => {
  const plain = line(2, { latency: 1, bandwidth: 8 });
  const nodes = plain.nodes.map((node) => ({ ...node, copy: { throughput: 16, duplex: true } }));
  const pair: Topology = {
    ...plain,
    nodes,
    staging: { memory: 1e6 },
    links: plain.links.map((one) => ({ ...one, occupancy: 'blocking' })),
  };

  it.each([
    // In, over, out; of two halves the second is copied while the first is sent; three thirds, or one and two together.
    [1, 96 / 16 + (1 + 96 / 8) + 96 / 16],
    [2, 48 / 16 + 2 * (1 + 48 / 8) + 48 / 16],
    [3, 32 / 16 + 3 * (1 + 32 / 8) + 32 / 16],
  ])('between two chips, in %i chunks, is that of a pipeline', (chunks, seconds) => {
    expect(optimum(collectiveOf('broadcast', 2, { inPlace: true }), pair, 96, chunks, { most: 20_000 })).toBe(seconds);
  });

  it('is that of a reduce backwards in time', () => {
    const three = line(3, { latency: 1, bandwidth: 8 });
    const staged = { nodes: three.nodes.map((node) => ({ ...node, copy: nodes[0].copy })), staging: pair.staging };
    for (const [topology, chunks] of [
      [pair, 3],
      [{ ...three, ...staged }, 1],
    ] as const) {
      const least = (kind: CollectiveKind, below: number) =>
        optimum(collectiveOf(kind, topology.chips.length), topology, 96, chunks, { most: 20_000, below }) ?? 0;
      const there = least('broadcast', Number.POSITIVE_INFINITY);
      const back = least('reduce', there * 1.01);
      expect(there).toBeGreaterThan(0);
      expect(back).toBeCloseTo(there, 9);
    }
  });
});

it('shows what is loose on sg2260x4: the bound, by all that is missing', () => {
  const topology = resolveTopology('sg2260x4');
  const collective = collectiveOf('broadcast', 4);
  const { seconds } = searchPlan({ ...searchDefaults, collective, topology, size: 2 ** 16 }).bundle.cost;
  const least = [2, 3, 4].map((chunks) => {
    const below = chunks === 2 ? seconds * 1.05 : seconds;
    return optimum(collective, topology, 2 ** 16, chunks, { most: 100_000, below }) ?? 0;
  });
  expect(least[0]).toBeCloseTo(2.124e-6, 12);
  expect(seconds).toBeCloseTo(2.124e-6, 12);
  expect(least.slice(1)).toEqual([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
  expect(lowerBound(collective, topology, 2 ** 16).seconds / seconds).toBeCloseTo(0.827, 3);
});

it.each([
  ['reduce', 'sg2260x4', 2, 2.12e-6, 0.829],
  ['reduce', 'sg2260x4-ddr', 2, 2.89e-6, 0.608],
  ['allreduce', 'sg2260x4-ddr', 2, 2.89e-6, 0.608],
  ['alltoall', 'sg2260x4-ddr', 1, 1.995e-6, 0.744],
] as const)(
  'shows that no %s on %s is near its bound, chunks of a shard being %i',
  (kind, machine, chunks, least, share) => {
    const topology = resolveTopology(machine);
    const collective = collectiveOf(kind, 4);
    expect(optimum(collective, topology, 2 ** 16, chunks, { most: 100_000, below: least })).toBe(
      Number.POSITIVE_INFINITY,
    );
    expect(lowerBound(collective, topology, 2 ** 16).seconds / least).toBeCloseTo(share, 3);
  },
);

it('shows what is loose on sg2260x4-ddr: the bound, far more than the plan', () => {
  const topology = resolveTopology('sg2260x4-ddr');
  const collective = collectiveOf('broadcast', 4);
  const request: CompileRequest = { ...searchDefaults, collective, topology, size: 2 ** 16 };
  const { seconds } = searchPlan(request).bundle.cost;
  const least = optimum(collective, topology, 2 ** 16, 2, { most: 100_000, below: seconds * 1.05 });
  expect(least).toBeCloseTo(2.892e-6, 12);
  expect(optimum(collective, topology, 2 ** 16, 3, { most: 100_000, below: 2.892e-6 })).toBe(Number.POSITIVE_INFINITY);
  expect(seconds).toBeLessThan((least ?? 0) * 1.003);
  expect(lowerBound(collective, topology, 2 ** 16).seconds).toBeLessThan((least ?? 0) * 0.61);
  const inFour = optimum(collective, topology, 2 ** 16, 4, { most: 100_000, below: seconds }) ?? 0;
  expect(inFour).toBeCloseTo(2.802e-6, 12);
  expect(seconds / inFour).toBeCloseTo(1.034, 3);
});

/** Least times on machines that stage messages: a pipeline by hand, and the instance by which docs/sg2260.md says what is loose. */
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../../src/cost/index.ts';
import { type CompileRequest, compile, compileDefaults } from '../../../src/index.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { collectiveOf } from '../../collectives.ts';
import { line } from '../machines.ts';
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
});

it('shows what is loose on sg2260x4-ddr: the bound, far more than the plan', () => {
  const topology = resolveTopology('sg2260x4-ddr');
  const collective = collectiveOf('broadcast', 4);
  const request: CompileRequest = { ...compileDefaults, collective, topology, size: 2 ** 16 };
  const { seconds } = compile(request).bundle.cost;
  const least = optimum(collective, topology, 2 ** 16, 2, { most: 100_000, below: seconds * 1.05 });
  expect(least).toBeCloseTo(2.892e-6, 12);
  expect(optimum(collective, topology, 2 ** 16, 3, { most: 100_000, below: 2.892e-6 })).toBe(Number.POSITIVE_INFINITY);
  expect(seconds).toBeLessThan((least ?? 0) * 1.003);
  expect(lowerBound(collective, topology, 2 ** 16).seconds).toBeLessThan((least ?? 0) * 0.61);
});

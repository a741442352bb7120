/** Simulated time against the closed forms of the literature: α per message, β bytes/s, γ bytes/s reduced. */
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/ir/plan.ts';
import { Routes } from '../../../src/ir/routes.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import { simulate } from '../../../src/model/index.ts';
import { full, ring, star } from '../machines.ts';
import {
  binomialBroadcast,
  binomialScatter,
  chainReduce,
  recursiveDoublingAllgather,
  ringAllgather,
  ringAllreduce,
} from '../plans.ts';

const latency = 0.7e-6;
const bandwidth = 64e9;
const gamma = 512e9;
const traits = { latency, bandwidth };
const apart = { throughput: gamma, overlap: true };
const together = { throughput: gamma, overlap: false };
const sizes = [0, 1024, 2 ** 20, 2 ** 30];

function expectTime(plan: Plan, topology: Topology, formula: (size: number) => number): void {
  const routes = new Routes(topology);
  for (const size of sizes) {
    const expected = formula(size);
    const { seconds } = simulate(plan, routes, size);
    expect(Math.abs(seconds - expected)).toBeLessThanOrEqual(1e-9 * expected);
  }
}

describe('allgather', () => {
  it.each([2, 3, 5, 8, 13, 64])('ring on ring:%i takes (N−1)(α + M/Nβ)', (ranks) => {
    const formula = (size: number) => (ranks - 1) * (latency + size / ranks / bandwidth);
    expectTime(ringAllgather(ranks), ring(ranks, traits), formula);
    expectTime(ringAllgather(ranks), star(ranks, traits), formula);
  });

  it.each([2, 4, 8, 64])('recursive doubling on one-port switch:%i takes Lα + (N−1)M/Nβ', (ranks) => {
    expectTime(
      recursiveDoublingAllgather(ranks),
      star(ranks, traits),
      (size) => Math.log2(ranks) * latency + ((ranks - 1) * size) / ranks / bandwidth,
    );
  });

  it('recursive doubling on ring:8 pays for several hops and shared links', () => {
    // Step 2: pairs at distance 2 share links, e.g. 0→2 and 1→3 over 1→2, so two packets of 2α + (2M/8)/β;
    // step 3: pairs at distance 4 all go the same way round: four packets of 4α + (4M/8)/β.
    const share = (size: number, parts: number) => (parts * size) / 8 / bandwidth;
    const packets = (size: number) =>
      latency + share(size, 1) + 2 * (2 * latency + share(size, 2)) + 4 * (4 * latency + share(size, 4));
    for (const size of sizes) {
      const { seconds, stretch } = simulate(recursiveDoublingAllgather(8), new Routes(ring(8, traits)), size);
      expect(seconds).toBeLessThanOrEqual(packets(size) * (1 + 1e-9));
      expect(seconds).toBeGreaterThan(3 * (latency + share(size, 7 / 3)));
      expect(stretch).toBeCloseTo((1 + 2 + 4) / 3, 12);
    }
  });
});

describe('one to many', () => {
  it.each([2, 3, 6, 8, 17, 64])('binomial broadcast on one-port switch:%i takes ⌈L⌉(α + M/β)', (ranks) => {
    const rounds = Math.ceil(Math.log2(ranks));
    expectTime(binomialBroadcast(ranks), star(ranks, traits), (size) => rounds * (latency + size / bandwidth));
  });

  it.each([2, 4, 16, 64])('binomial scatter on one-port switch:%i takes ⌈L⌉α + (N−1)M/Nβ', (ranks) => {
    expectTime(
      binomialScatter(ranks),
      star(ranks, traits),
      (size) => Math.log2(ranks) * latency + ((ranks - 1) * size) / ranks / bandwidth,
    );
  });
});

describe('chain reduce in k blocks', () => {
  const cases = [2, 3, 8, 21].flatMap((ranks) => [1, 2, 7, 32].map((blocks) => [ranks, blocks] as const));

  it.each(cases)('N = %i, k = %i: (N+k−2)(c+g) when reducing holds the ports', (ranks, blocks) => {
    expectTime(chainReduce(ranks, blocks), ring(ranks, { ...traits, reduce: together }), (size) => {
      const block = size / blocks;
      return (ranks + blocks - 2) * (latency + block / bandwidth + block / gamma);
    });
  });

  it.each(cases)('N = %i, k = %i: (N−1)(c+g) + (k−1)max(c, g) when it overlaps', (ranks, blocks) => {
    for (const throughput of [gamma, bandwidth / 3]) {
      const machine = ring(ranks, { ...traits, reduce: { throughput, overlap: true } });
      expectTime(chainReduce(ranks, blocks), machine, (size) => {
        const c = latency + size / blocks / bandwidth;
        const g = size / blocks / throughput;
        return (ranks - 1) * (c + g) + (blocks - 1) * Math.max(c, g);
      });
    }
  });
});

describe('ring allreduce', () => {
  it.each([2, 3, 4, 7, 16, 64])('N = %i: 2(N−1)(α + M/Nβ) + (N−1)M/Nγ', (ranks) => {
    for (const reduce of [apart, together]) {
      const machine = ring(ranks, { ...traits, reduce });
      expectTime(ringAllreduce(ranks), machine, (size) => {
        const share = size / ranks;
        return (ranks - 1) * (2 * (latency + share / bandwidth) + share / gamma);
      });
    }
  });
});

describe('unlimited ports', () => {
  it('everyone sends to everyone at once on full:5', () => {
    const machine = full(5, traits);
    expectTime(binomialBroadcast(5), machine, (size) => 2 * (latency + size / bandwidth) + 0);
  });
});

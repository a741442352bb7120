/**
 * Simulated time against the closed forms of the source documents, at numbers of ranks where they are exact.
 * N ranks, M bytes, L = log₂N; α, β, γ are those that the shipped parametric topologies state.
 */
import { describe, expect, it } from 'vitest';
import { Routes } from '../../src/ir/routes.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { simulate } from '../../src/model/index.ts';
import { resolveTopology, withOverlap } from '../../src/read/index.ts';
import { planOf, scheduleOf } from './library.ts';
import { representativeRanks } from './prove.ts';

const alpha = 1e-6;
const beta = 10e9;
const gamma = 50e9;
const MiB = 2 ** 20;
const GiB = 2 ** 30;
const sizes = [0, 2 ** 10, MiB, GiB];
const tolerance = 1e-9;

/** All up to 32; of those to 64, whose runs take most of the time, odd and even ones, those next to powers of two and one with many divisors. */
const everyRanks = representativeRanks([...Array.from({ length: 31 }, (_, index) => index + 2), 33, 47, 48, 63, 64]);
const powersOfTwo = [2, 4, 8, 16, 32, 64];

const onePort = (ranks: number): Topology => resolveTopology(`switch:${ranks}`);
const ring = (ranks: number): Topology => resolveTopology(`ring:${ranks}`);
const fullMesh = (ranks: number): Topology => resolveTopology(`full:${ranks}`);
const hypercube = (ranks: number): Topology => resolveTopology(`hypercube:${Math.log2(ranks)}`);

/** Time as α, 1/β and 1/γ terms: how many messages, and how often M is sent and reduced, one after the other. */
interface Terms {
  readonly messages: number;
  readonly sent: number;
  readonly reduced?: number;
}

const seconds = ({ messages, sent, reduced = 0 }: Terms, size: number): number =>
  messages * alpha + (sent * size) / beta + (reduced * size) / gamma;

const steps = (ranks: number): number => Math.ceil(Math.log2(ranks));
const others = (ranks: number): number => (ranks - 1) / ranks;

/** Simulated seconds of a shipped schedule for each of `sizes`. */
function simulated(name: string, ranks: number, topology: Topology, chunks?: number): number[] {
  const plan = planOf(name, ranks, chunks === undefined ? {} : { chunks });
  const routes = new Routes(topology);
  return sizes.map((size) => simulate(plan, routes, size).seconds);
}

/** The same for one size. */
function simulatedAt(name: string, ranks: number, topology: Topology, size: number, chunks?: number): number {
  return simulate(planOf(name, ranks, chunks === undefined ? {} : { chunks }), new Routes(topology), size).seconds;
}

function expectExact(name: string, ranks: number, topology: Topology, terms: Terms, chunks?: number): void {
  simulated(name, ranks, topology, chunks).forEach((time, index) => {
    const expected = seconds(terms, sizes[index]);
    const error = Math.abs(time - expected);
    if (error > tolerance * expected) {
      expect.fail(`${name}, N = ${ranks}, M = ${sizes[index]}: ${time} s instead of ${expected} s`);
    }
  });
}

type Row = readonly [name: string, topology: (ranks: number) => Topology, terms: (ranks: number) => Terms];

/** Rows that hold for every N, tried for those of `everyRanks`. */
const everywhere: readonly Row[] = [
  ['chain-broadcast', ring, (n) => ({ messages: n - 1, sent: n - 1 })],
  ['chain-broadcast', onePort, (n) => ({ messages: n - 1, sent: n - 1 })],
  ['chain-reduce', ring, (n) => ({ messages: n - 1, sent: n - 1, reduced: n - 1 })],
  ['chain-reduce', onePort, (n) => ({ messages: n - 1, sent: n - 1, reduced: n - 1 })],
  ['binomial-broadcast', onePort, (n) => ({ messages: steps(n), sent: steps(n) })],
  ['binomial-reduce', onePort, (n) => ({ messages: steps(n), sent: steps(n), reduced: steps(n) })],
  ['binomial-gather', onePort, (n) => ({ messages: steps(n), sent: others(n) })],
  ['binomial-scatter', onePort, (n) => ({ messages: steps(n), sent: others(n) })],
  ['linear-gather', onePort, (n) => ({ messages: n - 1, sent: others(n) })],
  ['linear-scatter', onePort, (n) => ({ messages: n - 1, sent: others(n) })],
  ['ring-gather', ring, (n) => ({ messages: n - 1, sent: others(n) })],
  ['ring-scatter', ring, (n) => ({ messages: n - 1, sent: others(n) })],
  ['scatter-ring-allgather-broadcast', onePort, (n) => ({ messages: steps(n) + n - 1, sent: 2 * others(n) })],
  ['ring-allgather', ring, (n) => ({ messages: n - 1, sent: others(n) })],
  ['ring-allgather', onePort, (n) => ({ messages: n - 1, sent: others(n) })],
  ['bruck-allgather', onePort, (n) => ({ messages: steps(n), sent: others(n) })],
  ['bidirectional-ring-allgather', ring, (n) => ({ messages: Math.floor(n / 2), sent: Math.floor(n / 2) / n })],
  ['ring-reducescatter', ring, (n) => ({ messages: n - 1, sent: others(n), reduced: others(n) })],
  ['pairwise-reducescatter', onePort, (n) => ({ messages: n - 1, sent: others(n), reduced: others(n) })],
  // Every rank leaves out one reduction on the way and makes up for it in the end, when others wait for nobody any more.
  [
    'in-order-pairwise-reducescatter',
    onePort,
    (n) => ({ messages: n - 1, sent: others(n), reduced: n > 2 ? 1 : others(n) }),
  ],
  ['bruck-reducescatter', onePort, (n) => ({ messages: steps(n), sent: others(n), reduced: others(n) })],
  ['recursive-halving-reducescatter', onePort, (n) => ({ messages: steps(n), sent: others(n), reduced: others(n) })],
  ['rabenseifner-reduce', onePort, (n) => ({ messages: 2 * steps(n), sent: 2 * others(n), reduced: others(n) })],
  [
    'nonoverlapping-reducescatter',
    onePort,
    (n) => ({ messages: steps(n) + n - 1, sent: steps(n) + others(n), reduced: steps(n) }),
  ],
  ['reduce-broadcast-allreduce', onePort, (n) => ({ messages: 2 * steps(n), sent: 2 * steps(n), reduced: steps(n) })],
  ['ring-allreduce', ring, (n) => ({ messages: 2 * (n - 1), sent: 2 * others(n), reduced: others(n) })],
  ['ring-allreduce', onePort, (n) => ({ messages: 2 * (n - 1), sent: 2 * others(n), reduced: others(n) })],
  ['bruck-allreduce', onePort, (n) => ({ messages: 2 * steps(n), sent: 2 * others(n), reduced: others(n) })],
  ['naive-ring-allreduce', ring, (n) => ({ messages: 2 * (n - 1), sent: 2 * (n - 1), reduced: n - 1 })],
  ['ring-reduce', ring, (n) => ({ messages: 2 * (n - 1), sent: 2 * others(n), reduced: others(n) })],
  ['pairwise-alltoall', onePort, (n) => ({ messages: n - 1, sent: others(n) })],
  ['dissemination-scan', onePort, (n) => ({ messages: steps(n), sent: steps(n), reduced: steps(n) })],
  ['linear-broadcast', onePort, (n) => ({ messages: n - 1, sent: n - 1 })],
  ['linear-reduce', onePort, (n) => ({ messages: n - 1, sent: n - 1, reduced: n - 1 })],
  ['in-order-binomial-reduce', onePort, (n) => ({ messages: steps(n), sent: steps(n), reduced: steps(n) })],
  ['gather-broadcast-allgather', onePort, (n) => ({ messages: 2 * steps(n), sent: steps(n) + others(n) })],
  ['single-node-allreduce', onePort, (n) => ({ messages: 2 * (n - 1), sent: 2 * (n - 1), reduced: n - 1 })],
  [
    'bidirectional-ring-reducescatter',
    ring,
    (n) => ({ messages: Math.floor(n / 2), sent: Math.floor(n / 2) / n, reduced: others(n) }),
  ],
  ['chain-scan', ring, (n) => ({ messages: n - 1, sent: n - 1, reduced: n - 1 })],
];

/** Rows that hold for powers of two only. */
const forPowersOfTwo: readonly Row[] = [
  ['recursive-doubling-allgather', hypercube, (n) => ({ messages: steps(n), sent: others(n) })],
  ['recursive-doubling-allgather', onePort, (n) => ({ messages: steps(n), sent: others(n) })],
  ['scatter-recursive-doubling-allgather-broadcast', onePort, (n) => ({ messages: 2 * steps(n), sent: 2 * others(n) })],
  ['recursive-halving-reducescatter', hypercube, (n) => ({ messages: steps(n), sent: others(n), reduced: others(n) })],
  [
    'in-order-recursive-halving-reducescatter',
    onePort,
    (n) => ({ messages: steps(n), sent: others(n), reduced: others(n) }),
  ],
  [
    'recursive-doubling-reducescatter',
    onePort,
    (n) => ({ messages: steps(n), sent: steps(n) - others(n), reduced: steps(n) - others(n) }),
  ],
  ['recursive-doubling-allreduce', hypercube, (n) => ({ messages: steps(n), sent: steps(n), reduced: steps(n) })],
  ['recursive-doubling-allreduce', onePort, (n) => ({ messages: steps(n), sent: steps(n), reduced: steps(n) })],
  [
    'mirrored-recursive-doubling-allreduce',
    onePort,
    (n) => ({ messages: steps(n), sent: steps(n), reduced: steps(n) }),
  ],
  ['swing-allreduce', onePort, (n) => ({ messages: steps(n), sent: steps(n), reduced: steps(n) })],
  ['rabenseifner-allreduce', onePort, (n) => ({ messages: 2 * steps(n), sent: 2 * others(n), reduced: others(n) })],
  ['binary-blocks-allreduce', onePort, (n) => ({ messages: 2 * steps(n), sent: 2 * others(n), reduced: others(n) })],
  ['pairwise-exchange-alltoall', onePort, (n) => ({ messages: n - 1, sent: others(n) })],
  ['hypercube-alltoall', hypercube, (n) => ({ messages: steps(n), sent: steps(n) / 2 })],
];

/** Rows on a ring of an even number of ranks, at least four, both directions in use. */
const forEvenRings: readonly Row[] = [
  ['halved-ring-allgather', ring, (n) => ({ messages: n / 2, sent: others(n) / 2 })],
  ['halved-ring-reducescatter', ring, (n) => ({ messages: n / 2, sent: others(n) / 2, reduced: others(n) })],
  ['bidirectional-ring-gather', ring, (n) => ({ messages: n / 2, sent: others(n) / 2 })],
  ['bidirectional-ring-scatter', ring, (n) => ({ messages: n / 2, sent: others(n) / 2 })],
  ['bidirectional-ring-alltoall', ring, (n) => ({ messages: n / 2, sent: n / 8 })],
  ['halved-ring-allreduce', ring, (n) => ({ messages: n, sent: others(n), reduced: others(n) })],
  ['paired-ring-allreduce', ring, (n) => ({ messages: n - 1, sent: others(n), reduced: 1 })],
  ['halved-ring-reduce', ring, (n) => ({ messages: n, sent: others(n), reduced: others(n) })],
  ['scatter-halved-ring-allgather-broadcast', ring, (n) => ({ messages: n, sent: others(n) })],
  ['neighbour-exchange-allgather', ring, (n) => ({ messages: n / 2, sent: others(n) })],
  ['neighbour-exchange-reducescatter', ring, (n) => ({ messages: n / 2, sent: others(n), reduced: others(n) })],
];

/** Rows on a full mesh, whose closed forms hold for every N; a sample, since it has N² links. */
const onFullMesh: readonly Row[] = [
  ['full-mesh-allgather', fullMesh, (n) => ({ messages: 1, sent: 1 / n })],
  ['full-mesh-reducescatter', fullMesh, (n) => ({ messages: 1, sent: 1 / n, reduced: others(n) })],
  ['full-mesh-alltoall', fullMesh, (n) => ({ messages: 1, sent: 1 / n })],
  ['direct-allreduce', fullMesh, (n) => ({ messages: 2, sent: 2 / n, reduced: others(n) })],
  ['direct-reduce', fullMesh, (n) => ({ messages: 2, sent: 2 / n, reduced: others(n) })],
  ['direct-broadcast', fullMesh, (n) => ({ messages: 2, sent: 2 / n })],
  ['direct-scan', fullMesh, (n) => ({ messages: 1, sent: 1, reduced: n - 1 })],
];

describe('closed forms', () => {
  it.each(onFullMesh)('%s on a full mesh', (name, topology, terms) => {
    for (const ranks of [2, 3, 4, 5, 7, 8, 13, 16, 31]) expectExact(name, ranks, topology(ranks), terms(ranks));
  });

  it.each(everywhere)('%s at every N', (name, topology, terms) => {
    for (const ranks of everyRanks) expectExact(name, ranks, topology(ranks), terms(ranks));
  });

  it.each(forPowersOfTwo)('%s at powers of two', (name, topology, terms) => {
    for (const ranks of powersOfTwo) expectExact(name, ranks, topology(ranks), terms(ranks));
  });

  it.each(forEvenRings)('%s at even N ≥ 4', (name, topology, terms) => {
    const even = everyRanks.filter((ranks) => ranks >= 4 && ranks % 2 === 0);
    for (const ranks of even) expectExact(name, ranks, topology(ranks), terms(ranks));
  });

  it.each([1, 2, 5])(
    'edge-disjoint trees with %i blocks each: a block is everywhere log₂N steps after it left',
    (each) => {
      for (const ranks of [8, 16, 32, 64]) {
        const blocks = each * steps(ranks);
        const stages = blocks + steps(ranks);
        const terms = { messages: stages, sent: stages / blocks };
        expectExact('edge-disjoint-trees-broadcast', ranks, onePort(ranks), terms, blocks);
      }
    },
  );

  it.each([1, 2, 4, 7])('pipelined chains with %i blocks, reducing apart from and together with sending', (blocks) => {
    for (const ranks of everyRanks) {
      const stages = ranks + blocks - 2;
      const share = stages / blocks;
      const reduced = { messages: stages, sent: share, reduced: share };
      expectExact('pipelined-chain-broadcast', ranks, ring(ranks), { messages: stages, sent: share }, blocks);
      expectExact('pipelined-chain-reduce', ranks, ring(ranks), reduced, blocks);
      const overlapping = simulated('pipelined-chain-reduce', ranks, withOverlap(ring(ranks), true), blocks);
      overlapping.forEach((time, index) => {
        const send = alpha + sizes[index] / blocks / beta;
        const reduce = sizes[index] / blocks / gamma;
        const expected = (ranks - 1) * (send + reduce) + (blocks - 1) * Math.max(send, reduce);
        expect(Math.abs(time - expected)).toBeLessThanOrEqual(tolerance * expected);
      });
    }
  });
});

/** A power of two of ranks goes on; the others are folded into their neighbours. */
const goingOn = (ranks: number): number => 2 ** Math.floor(Math.log2(ranks));

describe('the ring in segments', () => {
  it('hides all reductions but the last behind sending, where chips do both at once', () => {
    for (const ranks of everyRanks.filter((n) => n % 7 !== 3)) {
      for (const segments of [2, 5]) {
        const chunks = segments * ranks;
        const times = simulated('segmented-ring-allreduce', ranks, withOverlap(ring(ranks), true), chunks);
        const whole = simulated('ring-allreduce', ranks, withOverlap(ring(ranks), true));
        times.forEach((time, index) => {
          const part = sizes[index] / ranks;
          const moved = (ranks - 1) * ((segments + 1) * alpha + (2 * part) / beta);
          const expected = moved + part / segments / gamma;
          expect(Math.abs(time - expected)).toBeLessThanOrEqual(tolerance * expected);
          // Segments pay where the reductions that they hide take longer than their latencies.
          const hidden = ((ranks - 1 - 1 / segments) * part) / gamma - (ranks - 1) * (segments - 1) * alpha;
          if (Math.abs(hidden) > tolerance * expected) expect(time < whole[index]).toBe(hidden > 0);
        });
      }
    }
  });
});

describe('binary blocks', () => {
  /** The widest distance of exponents in the sum of powers of two: 100 = 2⁶ + 2⁵ + 2² has 3. */
  const imbalance = (ranks: number): number => {
    const exponents = [...ranks.toString(2)].flatMap((digit, i, all) => (digit === '1' ? [all.length - i] : []));
    return exponents.slice(1).reduce((most, exponent, i) => Math.max(most, exponents[i] - exponent), 0);
  };

  it('are no slower than Rabenseifner on long vectors, and say their imbalance', () => {
    for (const ranks of everyRanks.filter((n) => goingOn(n) < n)) {
      const compared = (size: number): number =>
        simulatedAt('binary-blocks-allreduce', ranks, onePort(ranks), size) /
        simulatedAt('rabenseifner-allreduce', ranks, onePort(ranks), size);
      expect(compared(GiB), `N = ${ranks}`).toBeLessThan(1);
      if (imbalance(ranks) <= 2) expect(compared(MiB), `N = ${ranks}`).toBeLessThan(1);
      expect(scheduleOf('binary-blocks-allreduce', ranks).figures).toEqual([
        ['load imbalance δ of the blocks', imbalance(ranks)],
      ]);
    }
  });
});

const foldedRecursiveDoubling = (ranks: number): Terms => {
  const rounds = Math.floor(Math.log2(ranks));
  return { messages: rounds + 2, sent: rounds + 2, reduced: rounds + 1 };
};

const foldedRabenseifner = (ranks: number): Terms => {
  const share = (goingOn(ranks) - 1) / goingOn(ranks);
  return { messages: 2 * Math.floor(Math.log2(ranks)) + 3, sent: 2 + 2 * share, reduced: 0.5 + share };
};

const foldedHalving = (ranks: number): Terms => {
  const reduced = 1 + (2 * (goingOn(ranks) - 1)) / ranks;
  return { messages: Math.floor(Math.log2(ranks)) + 2, sent: reduced + 1 / ranks, reduced };
};

describe('ranks that are folded', () => {
  const folding = everyRanks.filter((ranks) => goingOn(ranks) < ranks);

  function expectAtMost(name: string, ranks: number, terms: Terms): void {
    simulated(name, ranks, onePort(ranks)).forEach((time, index) => {
      const bound = seconds(terms, sizes[index]) * (1 + tolerance);
      expect(time, `${name}, N = ${ranks}, M = ${sizes[index]}`).toBeLessThanOrEqual(bound);
    });
  }

  it('recursive doubling and halving stay within their forms', () => {
    for (const ranks of folding) {
      expectAtMost('recursive-doubling-allreduce', ranks, foldedRecursiveDoubling(ranks));
      expectAtMost('recursive-halving-reducescatter', ranks, foldedHalving(ranks));
      expectAtMost('folded-recursive-halving-reducescatter', ranks, foldedHalving(ranks));
    }
  });

  it('Rabenseifner takes its form exactly, at every number of ranks', () => {
    for (const ranks of folding) {
      expectExact('rabenseifner-allreduce', ranks, onePort(ranks), foldedRabenseifner(ranks));
    }
  });
});

describe('binary trees', () => {
  it('a segmented binary tree tends to 2M/β on one port and to M/β with two links', () => {
    const inTimesOf = (topology: Topology): number =>
      simulatedAt('segmented-binary-tree-broadcast', 15, topology, GiB, 1024) / (GiB / beta);
    const onOnePort = inTimesOf(onePort(15));
    expect(onOnePort).toBeGreaterThan(2);
    expect(onOnePort).toBeLessThan(2.05);
    const onTree = inTimesOf(resolveTopology('tree:15'));
    expect(onTree).toBeGreaterThan(1);
    expect(onTree).toBeLessThan(1.05);
  });
});

describe('four SG2260 chips', () => {
  const size = 64 * 2 ** 20;
  const routes = new Routes(resolveTopology('sg2260x4'));
  const latency = 0.55e-6;
  const share = size / 4 / 64e9;
  const time = (name: string, chunks?: number): number =>
    simulate(planOf(name, 4, chunks === undefined ? {} : { chunks }), routes, size).seconds;

  it('gather everything in 2α + 3M/8β', () => {
    expect(time('halved-ring-allgather')).toBeCloseTo(2 * latency + 1.5 * share, 15);
  });

  it('exchange everything in 2α + M/2β', () => {
    expect(time('bidirectional-ring-alltoall')).toBeCloseTo(2 * latency + 2 * share, 15);
  });

  it('scatter and gather in 2α + 3M/8β', () => {
    expect(time('bidirectional-ring-scatter')).toBeCloseTo(2 * latency + 1.5 * share, 15);
    expect(time('bidirectional-ring-gather')).toBeCloseTo(2 * latency + 1.5 * share, 15);
  });

  it('sum in two steps between neighbours', () => {
    const step = latency + size / 64e9 + size / 512e9;
    expect(time('mirrored-recursive-doubling-allreduce')).toBeCloseTo(2 * step, 15);
    expect(time('swing-allreduce')).toBeCloseTo(2 * step, 15);
  });

  it('broadcast in k + 2 stages of half a message both ways round', () => {
    const blocks = 16;
    expect(time('split-chain-broadcast', 2 * blocks)).toBeCloseTo((blocks + 2) * (latency + (2 * share) / blocks), 15);
  });
});

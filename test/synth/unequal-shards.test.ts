/** Shards of different sizes: engines plan for their bytes, not for chunks of one size. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import type { CollectiveKind } from '../../src/ir/collective.ts';
import { messageBytes } from '../../src/ir/shards.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { lower } from '../../src/lower/index.ts';
import { simulate } from '../../src/model/index.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { type Candidate, engines, type Problem } from '../../src/synth/index.ts';
import { equalShares, sharesOf } from '../../src/synth/shares.ts';
import { prove } from '../../src/verify/index.ts';
import { collectiveOf } from '../collectives.ts';
import { drawn } from '../draw.ts';
import { link, machine } from '../model/machines.ts';
import { candidatesAmong, problemFor } from './problems.ts';

function problemOf(kind: CollectiveKind, topology: Topology, counts: readonly number[], chunks?: number): Problem {
  const size = messageBytes(kind, topology.chips.length, counts);
  return problemFor(collectiveOf(kind, topology.chips.length, { counts }), topology, { size, chunks });
}

function candidatesOf(engine: string, problem: Problem): Candidate[] {
  const asked = engines.filter(({ name }) => name === engine);
  const proposals = asked.flatMap((each) => [...each.propose(problem)]);
  return candidatesAmong(proposals);
}

/** What a candidate takes once it has been proved, and its busiest link at its bandwidth. */
function timesOf(
  candidate: Candidate,
  { routes, size }: Problem,
): { readonly whole: number; readonly busiest: number } {
  const { topology } = routes;
  const plan = lower(candidate.build(1), {});
  expect(prove(plan, { topology }).verification.findings).toEqual([]);
  const { seconds, links } = simulate(plan, routes, size);
  const busiest = Math.max(...links.map(({ link: index, bytes }) => bytes / topology.links[index].bandwidth));
  return { whole: seconds, busiest };
}

/** Seconds that the tightest cut of an allgather takes: over all sets of chips that leave one out, what they have over what leaves them. */
function tightestCut(topology: Topology, counts: readonly number[]): number {
  let most = 0;
  for (let set = 1; set < 2 ** counts.length - 1; set++) {
    const inside = (chip: number): boolean => (set >> chip) % 2 === 1;
    const bytes = counts.reduce((sum, count, chip) => (inside(chip) ? sum + count : sum), 0);
    const out = topology.links.filter((l) => inside(l.from) && !inside(l.to)).reduce((sum, l) => sum + l.bandwidth, 0);
    most = Math.max(most, bytes / out);
  }
  return most;
}

/** Chips on a ring of duplex links, and more links between them. */
const randomMachine = fc
  .record({
    around: fc.array(fc.constantFrom(1, 2, 3), { minLength: 3, maxLength: 6 }),
    more: fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 4 }),
  })
  .map(({ around, more }) => {
    const ranks = around.length;
    const pairs = around.map((bandwidth, r) => [r, (r + 1) % ranks, bandwidth] as const);
    const taken = (a: number, b: number): boolean => (a + 1) % ranks === b || (b + 1) % ranks === a;
    const others = more.filter(([a, b]) => a < b && b < ranks && !taken(a, b)).map(([a, b]) => [a, b, 1] as const);
    const distinct = [...new Map([...pairs, ...others].map((pair) => [`${pair[0]} ${pair[1]}`, pair])).values()];
    const links = distinct.flatMap(([a, b, bandwidth]) => [link(a, b, { bandwidth }), link(b, a, { bandwidth })]);
    return machine(ranks, links);
  });

describe('shares', () => {
  it('are whole numbers in proportion to what ranks have, without those that have nothing', () => {
    expect(sharesOf([800, 100, 0, 100])).toEqual([
      { rank: 0, share: 8 },
      { rank: 1, share: 1 },
      { rank: 3, share: 1 },
    ]);
    expect(sharesOf([6, 9, 3])).toEqual([
      { rank: 0, share: 2 },
      { rank: 1, share: 3 },
      { rank: 2, share: 1 },
    ]);
    expect(sharesOf([7, 0, 7])).toEqual(equalShares([0, 2]));
  });

  it('are none where all ranks have the same, or nearly so', () => {
    for (const counts of [undefined, [5, 5, 5], [1000, 1001, 999], [0, 0]]) expect(sharesOf(counts)).toBeUndefined();
  });

  it('are enough for every shard, and hardly more', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 2, maxLength: 9 }), (weights) => {
        const shares = sharesOf(weights) ?? equalShares([...weights.keys()]);
        const unit = Math.max(...weights) / Math.max(...shares.map(({ share }) => share));
        for (const { rank, share } of shares) expect(share * unit).toBeGreaterThan(weights[rank] * (1 - 1e-5));
        const all = shares.reduce((sum, { share }) => sum + share, 0) * unit;
        // At most half a unit per shard on average where 64 units of the largest are too few.
        expect(all).toBeLessThan(weights.reduce((sum, weight) => sum + weight, 0) * 1.05 + 1e-9);
      }),
    );
  });
});

describe('plans for unequal shards', () => {
  const kib = 2 ** 10;
  const spreads = { 'few large': [8, 1, 1, 1], growing: [1, 2, 3, 4, 5, 6, 7, 8], powers: [64, 32, 16, 8, 4, 2, 1, 1] };
  it.each(
    ['ring:8', 'dgx1', 'a100'].flatMap((name) =>
      Object.entries(spreads).map(([about, units]) => ({ name, about, units })),
    ),
  )('of an allgather come near the bound on $name ($about)', ({ name, units }) => {
    const topology = resolveTopology(name);
    const counts = topology.chips.map((_, rank) => units[rank % units.length] * 512 * kib);
    const problem = problemOf('allgather', topology, counts);
    const bound = lowerBound(problem.collective, topology, problem.size).seconds;
    const candidates = ['trees', 'list'].flatMap((engine) => candidatesOf(engine, problem));
    const times = candidates.map((candidate) => timesOf(candidate, problem));
    expect(bound / Math.min(...times.map(({ whole }) => whole))).toBeGreaterThan(0.8);
    // Deep pipelines come near this.
    expect(bound / Math.min(...times.map(({ busiest }) => busiest))).toBeGreaterThan(0.94);
  });

  it('of a move turned round are as fast', () => {
    const topology = resolveTopology('dgx1');
    const counts = topology.chips.map((_, rank) => (rank % 4 === 0 ? 8 : 1) * 2 ** 22);
    const problem = problemOf('reducescatter', topology, counts);
    const bound = lowerBound(problem.collective, topology, problem.size).seconds;
    const times = candidatesOf('list', problem).map((candidate) => timesOf(candidate, problem).whole);
    expect(bound / Math.min(...times)).toBeGreaterThan(0.95);
  });

  it.each(['ring:8', 'torus:4x4', 'hypercube:3'])(
    'of a reducescatter keep chips in step that cannot send while they reduce, on %s',
    (name) => {
      const topology = resolveTopology(name);
      // The first shard is empty: handshakes are as long as chunks of the smallest one that is not.
      for (const units of [spreads['few large'], [0, 1, 8, 1]]) {
        const counts = topology.chips.map((_, rank) => units[rank % units.length] * 512 * kib);
        const problem = problemOf('reducescatter', topology, counts);
        const bound = lowerBound(problem.collective, topology, problem.size).seconds;
        const times = candidatesOf('in-step', problem).map((candidate) => timesOf(candidate, problem).whole);
        expect(bound / Math.min(...times)).toBeGreaterThan(0.8);
      }
    },
  );

  it.each(
    ['ring:8', 'dgx1'].flatMap((name) => [
      { name, kind: 'scatter' as const },
      { name, kind: 'gather' as const },
    ]),
  )('of a $kind come near the bound on $name', ({ name, kind }) => {
    const topology = resolveTopology(name);
    for (const units of [spreads['few large'], spreads.powers]) {
      const counts = topology.chips.map((_, rank) => units[rank % units.length] * 512 * kib);
      const problem = problemOf(kind, topology, counts);
      const bound = lowerBound(problem.collective, topology, problem.size).seconds;
      const times = candidatesOf('list', problem).map((candidate) => timesOf(candidate, problem));
      expect(bound / Math.min(...times.map(({ whole }) => whole))).toBeGreaterThan(0.72);
      expect(bound / Math.min(...times.map(({ busiest }) => busiest))).toBeGreaterThan(0.93);
    }
  });

  it('of one rank without data leave it out', () => {
    const topology = resolveTopology('ring:5');
    const problem = problemOf('allgather', topology, [1e6, 0, 3e6, 1e6, 1e6]);
    for (const candidate of candidatesOf('list', problem)) {
      const { steps, collective } = candidate.build(1);
      const ofEmpty = [...Array(steps.stepCount).keys()]
        .flatMap((step) => steps.inStep(step))
        .flatMap(({ pieces }) => pieces)
        .filter(({ fromOffset }) => Math.floor(fromOffset / collective.chunks) === 1);
      expect(ofEmpty).toEqual([]);
    }
  });

  it('are made in as many chunks as were asked for, whatever these are', () => {
    const topology = resolveTopology('ring:4');
    for (const chunks of [1, 3]) {
      const problem = problemOf('allgather', topology, [4e8, 1e8, 1e8, 1e8], chunks);
      for (const candidate of ['trees', 'list'].flatMap((engine) => candidatesOf(engine, problem))) {
        expect(candidate.build(1).collective.chunks).toBe(chunks);
        expect(timesOf(candidate, problem).whole).toBeGreaterThan(0);
      }
    }
  });
});

describe('packed trees of unequal shards', () => {
  it('keep no link busy for longer than the tightest cut needs', () => {
    fc.assert(
      fc.property(
        randomMachine,
        fc.array(fc.constantFrom(0, 1, 2, 3, 8), { minLength: 6, maxLength: 6 }),
        (m, units) => {
          const counts = units.slice(0, m.chips.length).map((each) => each * 1e6);
          fc.pre(counts.some((count) => count > 0));
          const problem = problemOf('allgather', m, counts);
          const least = tightestCut(m, counts);
          for (const candidate of candidatesOf('trees', problem)) {
            const { busiest } = timesOf(candidate, problem);
            expect(busiest).toBeGreaterThan(least * (1 - 1e-9));
            expect(busiest).toBeLessThan(least * 1.02);
          }
        },
      ),
      drawn(25),
    );
  });
});

describe('routed alltoalls of unequal shards', () => {
  // What one chip has for another leaves it over all its links; the tokens of the other pairs hardly count.
  it.each([
    ['ring:8', 0, 4, 2],
    ['torus:4x4', 0, 10, 4],
    ['hypercube:4', 3, 12, 4],
    ['mesh:4x4', 5, 10, 4],
    ['mesh:4x4', 0, 15, 2],
  ])('on %s divide what %i has for %i among its %i links', (name, from, to, links) => {
    const topology = resolveTopology(name);
    const ranks = topology.chips.length;
    const large = 256 * 2 ** 20;
    const counts = Array.from({ length: ranks ** 2 }, (_, pair) => (pair === from * ranks + to ? large : 1024));
    const problem = problemOf('alltoall', topology, counts);
    const least = large / links / topology.links[0].bandwidth;
    const busiest = candidatesOf('list', problem).map((candidate) => timesOf(candidate, problem).busiest);
    expect(Math.min(...busiest)).toBeGreaterThanOrEqual(least);
    expect(Math.min(...busiest)).toBeLessThan(1.01 * least);
  });

  it('are right whatever pairs have, in as many chunks as were asked for', () => {
    fc.assert(
      fc.property(
        randomMachine,
        fc.array(fc.constantFrom(0, 4, 4096, 1e6, 64e6), { minLength: 36, maxLength: 36 }),
        fc.constantFrom(undefined, 1, 3),
        (m, bytes, chunks) => {
          const counts = bytes.slice(0, m.chips.length ** 2);
          const problem = problemOf('alltoall', m, counts, chunks);
          for (const candidate of candidatesOf('list', problem)) {
            if (chunks !== undefined) expect(candidate.build(1).collective.chunks).toBe(chunks);
            expect(timesOf(candidate, problem).whole).toBeGreaterThanOrEqual(0);
          }
        },
      ),
      drawn(20),
    );
  });
});

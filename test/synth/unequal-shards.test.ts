/** Shards of different sizes: engines plan for their bytes, not for chunks of one size. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lowerBound, simulate } from '../../src/cost/index.ts';
import type { Collective, CollectiveKind } from '../../src/ir/collective.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import { Routes } from '../../src/ir/routes.ts';
import type { Topology } from '../../src/ir/topology.ts';
import { lower } from '../../src/lower/index.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { type Candidate, engines, type Problem } from '../../src/synth/index.ts';
import { equalShares, sharesOf } from '../../src/synth/shares.ts';
import { prove } from '../../src/verify/index.ts';
import { link, machine } from '../cost/machines.ts';

function problemOf(kind: CollectiveKind, topology: Topology, counts: readonly number[], chunks?: number): Problem {
  const ranks = topology.chips.length;
  const collective: Collective = { kind, ranks, chunks: 1, root: 0, op: 'sum', ordered: false, inPlace: false, counts };
  const size = counts.reduce((sum, count) => sum + count, 0);
  const routes = new Routes(topology);
  return { collective, routes, size, chunks, algorithm: undefined, parameters: {}, limits: defaultLimits, seed: 0 };
}

function candidatesOf(engine: string, problem: Problem): Candidate[] {
  const asked = engines.filter(({ name }) => name === engine);
  const proposals = asked.flatMap((each) => [...each.propose(problem)]);
  return proposals.flatMap((p) => (p.kind === 'candidate' ? [p.candidate] : []));
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
    // Nearly the same is the same.
    expect(sharesOf([1000, 1001, 999])).toEqual(equalShares([0, 1, 2]));
  });

  it('are enough for every shard, and hardly more', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 2, maxLength: 9 }), (weights) => {
        const shares = sharesOf(weights);
        const unit = Math.max(...weights) / Math.max(...shares.map(({ share }) => share));
        for (const { rank, share } of shares) expect(share * unit).toBeGreaterThan(weights[rank] * (1 - 1e-5));
        const all = shares.reduce((sum, { share }) => sum + share, 0) * unit;
        // At most half a unit per shard on average where 64 units of the largest are too few.
        expect(all).toBeLessThan(weights.reduce((sum, weight) => sum + weight, 0) * 1.05 + 1e-9);
      }),
    );
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
      { numRuns: 25 },
    );
  });

  it.each(['ring:8', 'dgx1', 'a100', 'mesh:4x4'])('come near the bound of a long message on %s', (name) => {
    const topology = resolveTopology(name);
    const counts = topology.chips.map((_, rank) => (rank % 4 === 0 ? 8 : 1) * 2 ** 28);
    for (const kind of ['allgather', 'reducescatter'] as const) {
      const problem = problemOf(kind, topology, counts);
      const bound = lowerBound(problem.collective, topology, problem.size).certificates.find(
        (c) => c.kind === 'bandwidth',
      );
      for (const candidate of candidatesOf('trees', problem)) {
        expect(timesOf(candidate, problem).busiest).toBeLessThan((bound?.seconds ?? 0) * 1.02);
      }
    }
  });

  it('are made in as many chunks as were asked for, whatever these are', () => {
    const topology = resolveTopology('ring:4');
    const problem = problemOf('allgather', topology, [4e8, 1e8, 1e8, 1e8], 3);
    for (const candidate of candidatesOf('trees', problem)) {
      expect(candidate.build(1).collective.chunks).toBe(3);
      expect(timesOf(candidate, problem).whole).toBeGreaterThan(0);
    }
  });
});

/** Lengths that bound scans: against everything that three ranks can do, closed forms, plans, and the check of certificates. */
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../src/bounds/index.ts';
import { ScanLengths } from '../../src/bounds/lengths/scan-lengths.ts';
import { ScanRoutes } from '../../src/bounds/lengths/scan-routes.ts';
import { checkCertificate } from '../../src/certificates/index.ts';
import { questionOf } from '../../src/certificates/question.ts';
import { lengthOfScan } from '../../src/certificates/stretches.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import { Random } from '../../src/ir/random.ts';
import { Routes } from '../../src/ir/routes.ts';
import { ranksOf, type Topology } from '../../src/ir/topology.ts';
import { lower } from '../../src/lower/index.ts';
import { simulate } from '../../src/model/index.ts';
import { instantiate, loadScheduleFile, resolveTopology } from '../../src/read/index.ts';
import { testSeed } from '../draw.ts';
import { full, line, ring, star } from '../model/machines.ts';
import { collective } from '../model/plans.ts';

const kinds = ['scan', 'exscan'] as const;

/** Values that come of these where they meet, as a bit for each set of ranks. Contributions may come twice, as a maximum's can. */
function reduced(values: number): number {
  let all = values;
  for (let changed = true; changed; ) {
    changed = false;
    for (let a = 1; a < 8; a++) {
      for (let b = 1; b < 8; b++) {
        const isNew = (all >> a) & (all >> b) & 1 && !((all >> (a | b)) & 1);
        if (!isNew) continue;
        all |= 1 << (a | b);
        changed = true;
      }
    }
  }
  return all;
}

/** Of three ranks: the least sum of what messages go, over all that they could send each other (Dijkstra over what they hold). */
function leastByTrying(far: readonly (readonly number[])[], wanted: readonly number[]): number {
  const start = [0, 1, 2].map((rank) => reduced(1 << (1 << rank)));
  const open = new Map([[start.join(), { held: start, cost: 0 }]]);
  const closed = new Set<string>();
  for (;;) {
    const [name, { held, cost }] = [...open].reduce((best, entry) => (entry[1].cost < best[1].cost ? entry : best));
    if (wanted.every((value, rank) => value === 0 || (held[rank] >> value) & 1)) return cost;
    open.delete(name);
    closed.add(name);
    for (const from of [0, 1, 2]) {
      for (const to of [0, 1, 2]) {
        for (let value = 1; value < 8; value++) {
          if (from === to || !((held[from] >> value) & 1) || (held[to] >> value) & 1) continue;
          const next = held.map((values, rank) => (rank === to ? reduced(values | (1 << value)) : values));
          const reached = { held: next, cost: cost + far[from][to] };
          const known = open.get(next.join());
          if (closed.has(next.join()) || (known !== undefined && known.cost <= reached.cost)) continue;
          open.set(next.join(), reached);
        }
      }
    }
  }
}

describe('the shortest ways of a scan', () => {
  it.each(kinds)('of three ranks: no %s needs less, and one takes as much', (kind) => {
    const random = new Random(testSeed + 11);
    const topology = full(3);
    const wanted = kind === 'scan' ? [0b1, 0b11, 0b111] : [0, 0b1, 0b11];
    for (let round = 0; round < 40; round++) {
      const lengths = topology.links.map(() => random.below(7));
      const far = [0, 1, 2].map((from) =>
        [0, 1, 2].map((to) => {
          const direct = (a: number, b: number) => lengths[topology.links.findIndex((l) => l.from === a && l.to === b)];
          const third = 3 - from - to;
          return from === to ? 0 : Math.min(direct(from, to), direct(from, third) + direct(third, to));
        }),
      );
      const least = leastByTrying(far, wanted);
      expect(new ScanRoutes(topology).find(lengths, kind === 'scan').distance).toBe(least);
      expect(lengthOfScan(lengths, questionOf(collective(kind, 3), topology, 1))).toBe(least);
    }
  });

  it.each(kinds)('are the same to the check, and as long as the links that they cross', (kind) => {
    const random = new Random(testSeed + 5);
    for (const topology of [ring(5), line(4), star(4), resolveTopology('sg2260x8'), resolveTopology('torus:3x4')]) {
      for (let round = 0; round < 20; round++) {
        const lengths = topology.links.map(() => random.below(5));
        const ways = new ScanRoutes(topology).find(lengths, kind === 'scan');
        expect(lengthOfScan(lengths, questionOf(collective(kind, ranksOf(topology)), topology, 1))).toBe(ways.distance);
        expect(ways.links().reduce((sum, link) => sum + lengths[link], 0)).toBe(ways.distance);
      }
    }
  });
});

describe('lengths for scans', () => {
  /** In units of M/β, for links of 8 bytes a second. */
  const inUnits = (topology: Topology, withOwn: boolean) =>
    (new ScanLengths(topology, withOwn).best()?.secondsPerByte ?? 0) * 8;

  it.each([3, 4, 5, 8, 9, 16])('of a ring of %i: what chains both ways round leave', (ranks) => {
    // A share x of each of N − 1 hops goes the other way round, all over the one link that a chain leaves idle: x(N − 1) = 1 − x.
    expect(inUnits(ring(ranks), false)).toBeCloseTo((ranks - 1) / ranks, 3);
    // A scan's sums may pass there with everything that ranks on the way add: half as many of them.
    const half = Math.floor(ranks / 2);
    expect(inUnits(ring(ranks), true)).toBeCloseTo(half / (half + 1), 3);
  });

  it('of machines too large for the simplex method: within a hundredth of what chains both ways round leave', () => {
    expect(inUnits(ring(64), false)).toBeGreaterThan((63 / 64) * 0.99);
    expect(inUnits(ring(64), true)).toBeGreaterThan((32 / 33) * 0.99);
  });

  it('of a large torus: within a tenth of what rows need that a chain goes along', () => {
    // Seven of eight chips of a row, and the last one with the first of the next row, have a hop to the right to share with the ways round.
    const torus = resolveTopology('torus:8x8');
    const found = new ScanLengths(torus, false).best()?.secondsPerByte ?? 0;
    expect(found * torus.links[0].bandwidth).toBeGreaterThan((7 / 8) * 0.9);
  });

  it('of two boxes: all NICs share what crosses', () => {
    const found = new ScanLengths(resolveTopology('a100:2'), true).best();
    expect((found?.secondsPerByte ?? 0) * 8 * 25e9).toBeCloseTo(1, 3);
  });

  it.each(kinds)('are certificates of a %s that are checked, and that no plan beats', (kind) => {
    const machines = [
      ring(6),
      line(5),
      star(5),
      full(5),
      resolveTopology('mesh:2x3'),
      resolveTopology('sg2260x4'),
      resolveTopology('dgx1'),
    ];
    for (const topology of machines) {
      const ranks = ranksOf(topology);
      const problem = collective(kind, ranks);
      for (const size of [1, 1e3, 1e6]) {
        const { seconds, certificates } = lowerBound(problem, topology, size);
        const lengths = certificates.find(({ kind: of }) => of === 'stretches');
        if (lengths === undefined) expect.fail(`no lengths on ${topology.name}`);
        expect(checkCertificate(lengths, problem, topology, size)).toBe(true);
        expect(checkCertificate({ ...lengths, seconds: lengths.seconds * 1.001 }, problem, topology, size)).toBe(false);
        for (const name of [`chain-${kind}`, `dissemination-${kind}`, `mirrored-hypercube-${kind}`]) {
          const request = { ranks, root: 0, op: 'sum', ordered: true, inPlace: false, parameters: {} } as const;
          const schedule = instantiate(loadScheduleFile(name), { ...request, limits: defaultLimits });
          for (const bulks of [1, 16]) {
            const plan = lower(schedule, { bulks });
            const time = simulate(plan, new Routes(topology), size).seconds;
            expect(seconds).toBeLessThanOrEqual(time * (1 + 1e-9));
          }
        }
      }
    }
  });

  it('that are no lengths prove nothing', () => {
    const [topology, problem] = [ring(4), collective('scan', 4)];
    for (const lengths of [
      [],
      topology.links.map(() => -1),
      topology.links.map(() => Number.NaN),
      topology.links.map(() => 0),
    ]) {
      const certificate = { kind: 'stretches', seconds: 1e-12, reason: '', witness: { lengths } } as const;
      expect(checkCertificate(certificate, problem, topology, 1e6)).toBe(false);
    }
  });
});

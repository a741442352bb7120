import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveTopology } from '../../../src/read/index.ts';
import { drawn } from '../../draw.ts';
import { fastest, faults, machine, machines, problemOn, proposed } from './routed-support.ts';

const size = 2 ** 30;

// What the busiest link carries at least, in shards: all bytes times their shortest ways over all links where every link is
// alike, half the pairs over the bisection elsewhere; on dgx1 16 shards cross six links of 25 GB/s.
const loads: readonly (readonly [string, number, number])[] = [
  ['ring:7', 6, 10e9],
  ['ring:8', 8, 10e9],
  ['torus:4x4', 8, 10e9],
  ['torus:4x8', 32, 10e9],
  ['torus:3x3x3', 9, 10e9],
  ['hypercube:4', 8, 10e9],
  ['full:8', 1, 10e9],
  ['mesh:4x4', 16, 10e9],
  ['line:6', 9, 10e9],
  ['tree:7', 12, 10e9],
  ['switch:8', 7, 10e9],
  ['dgx1', 8 / 3, 25e9],
  ['sg2260x4', 2, 64e9],
  ['sg2260x4-ddr', 2, 64e9],
  ['sg2260x8', 8, 64e9],
];

describe('routed alltoall', () => {
  it.each(loads)(
    'keeps the busiest links of %s busy for hardly longer than %d shards take',
    (name, load, bandwidth) => {
      const topology = resolveTopology(name);
      const bound = (load * size) / topology.chips.length / bandwidth;
      const best = fastest(problemOn(topology, 'alltoall'), size);
      expect(best).toBeGreaterThanOrEqual(bound * (1 - 1e-9));
      expect(best).toBeLessThan(bound / 0.95);
    },
  );

  it.each([
    ['ring:8', 4],
    ['torus:4x4', 4],
    ['torus:4x8', 6],
    ['hypercube:4', 4],
    ['mesh:4x4', 6],
    ['full:8', 1],
    ['dgx1', 2],
    ['tree:7', 4],
  ])('takes as many messages in a row on %s as its diameter, %d', (name, diameter) => {
    const topology = resolveTopology(name);
    expect(fastest(problemOn(topology, 'alltoall', {}, { size: 0 }), 0)).toBeCloseTo(diameter * 1e-6, 12);
  });

  it('takes on a ring the least latency and the least bandwidth term together', () => {
    const topology = resolveTopology('ring:8');
    const shards = (8 * 2 ** 20) / 8 / 10e9;
    expect(fastest(problemOn(topology, 'alltoall', {}, { size: 2 ** 20 }), 2 ** 20)).toBeCloseTo(4e-6 + shards, 10);
  });

  it.each(loads)('is proved on %s in place and out of place, with more chunks, in a pipeline', (name) => {
    const topology = resolveTopology(name);
    for (const inPlace of [false, true]) {
      const { candidates } = proposed(problemOn(topology, 'alltoall', { inPlace }));
      expect(candidates.length).toBeGreaterThan(0);
      expect(candidates.length).toBeLessThanOrEqual(4);
      for (const candidate of candidates) {
        expect(faults(candidate, topology)).toEqual([]);
        if (!inPlace) expect(faults(candidate, topology, 2)).toEqual([]);
      }
    }
  });

  it('is proved on machines at random', () => {
    fc.assert(
      fc.property(machines, fc.boolean(), fc.constantFrom(undefined, 1, 2), (topology, inPlace, chunks) => {
        const { candidates } = proposed(problemOn(topology, 'alltoall', { inPlace }, { chunks }));
        expect(candidates.length).toBeGreaterThan(0);
        for (const candidate of candidates) expect(faults(candidate, topology)).toEqual([]);
      }),
      drawn(30),
    );
  });

  it.each(['line:6', 'mesh:4x4', 'dgx1', 'hypercube:4'])(
    'lets what goes on from a rank of %s lie side by side, as it came: no copies spread it out',
    (name) => {
      let wide = 0;
      for (const candidate of proposed(problemOn(resolveTopology(name), 'alltoall', {}, { size: 2 ** 16 }))
        .candidates) {
        const { steps } = candidate.build(1);
        for (let t = 0; t < steps.transferCount; t++) {
          const goesOn = steps.transfer(t).pieces.filter(({ to }) => to === 'scratch');
          for (const [i, { toOffset }] of goesOn.entries()) {
            if (i > 0) expect(toOffset).toBe(goesOn[i - 1].toOffset + goesOn[i - 1].count);
          }
          if (goesOn.length > 1) wide++;
        }
      }
      expect(wide).toBeGreaterThan(0);
    },
  );

  it('makes the chunks that are asked for', () => {
    const topology = resolveTopology('dgx1');
    const { candidates } = proposed(problemOn(topology, 'alltoall', {}, { chunks: 5 }));
    expect(candidates.map((candidate) => candidate.build(1).collective.chunks)).toEqual(candidates.map(() => 5));
    expect(candidates.map((candidate) => candidate.build(2).collective.chunks)).toEqual(candidates.map(() => 10));
  });

  it('makes the same schedules from the same seed', () => {
    const topology = resolveTopology('mesh:3x4');
    const make = (seed: number) =>
      proposed(problemOn(topology, 'alltoall', {}, { seed })).candidates.map((candidate) => candidate.build(1).steps);
    expect(make(7)).toEqual(make(7));
    expect(make(7)).not.toEqual(make(8));
  });

  it('says why it has nothing', () => {
    const oneWay = machine(3, 0, [
      { from: 0, to: 1, bandwidth: 1e9, held: true },
      { from: 1, to: 2, bandwidth: 1e9, held: true },
    ]);
    expect(proposed(problemOn(oneWay, 'alltoall')).dismissals).toEqual(['some rank cannot be reached from some other']);
    const large = resolveTopology('full:200');
    expect(proposed(problemOn(large, 'alltoall')).dismissals).toEqual([
      'to search paths for 200 ranks would take too long',
    ]);
    // From each chip of a ring of 400 to two chips 1 … 199 hops away, and one 200.
    const many = resolveTopology('ring:400');
    expect(proposed(problemOn(many, 'alltoall')).dismissals).toEqual([
      '16000000 hops of parcels are more than a plan should have',
    ]);
  });

  it('leaves other collectives and named algorithms alone', () => {
    const topology = resolveTopology('ring:4');
    expect(proposed(problemOn(topology, 'allgather'))).toEqual({ candidates: [], dismissals: [] });
    const named = problemOn(topology, 'alltoall', {}, { algorithm: 'bruck' });
    expect(proposed(named)).toEqual({ candidates: [], dismissals: [] });
  });
});

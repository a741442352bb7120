import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Routes } from '../../../src/ir/routes.ts';
import { lower } from '../../../src/lower/index.ts';
import { simulate } from '../../../src/model/index.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { drawn } from '../../draw.ts';
import { fastest, faults, machine, machines, problemOn, proposed } from './routed-support.ts';

const size = 2 ** 30;

// What the busiest link of the root (rank 0) carries at least, in shards: all others' over its links.
const loads: readonly (readonly [string, number, number])[] = [
  ['ring:7', 3, 10e9],
  ['ring:8', 3.5, 10e9],
  ['torus:4x4', 15 / 4, 10e9],
  ['torus:8x8', 63 / 4, 10e9],
  ['hypercube:4', 15 / 4, 10e9],
  ['mesh:4x4', 7.5, 10e9],
  ['line:8', 7, 10e9],
  ['tree:7', 3, 10e9],
  ['full:8', 1, 10e9],
  ['switch:8', 7, 10e9],
  ['fattree', 15, 10e9],
  ['dgx1', 7 / 6, 25e9],
  ['sg2260x8', 7 / 3, 64e9],
];

describe.each(['scatter', 'gather'] as const)('routed %s', (kind) => {
  it.each(loads)('on %s takes hardly longer than %d shards over one link', (name, load, bandwidth) => {
    const topology = resolveTopology(name);
    const bound = (load * size) / topology.chips.length / bandwidth;
    const best = fastest(problemOn(topology, kind), size);
    expect(best).toBeGreaterThanOrEqual(bound * (1 - 1e-9));
    expect(best).toBeLessThan(bound / 0.95);
  });

  it('on torus:24x24 takes hardly longer than a quarter of all others over one link', () => {
    const topology = resolveTopology('torus:24x24');
    const [candidate] = proposed(problemOn(topology, kind, {}, { effort: 'quick' })).candidates;
    const bound = ((575 / 4) * size) / 576 / 10e9;
    const { seconds } = simulate(lower(candidate.build(1)), new Routes(topology), size);
    expect(seconds).toBeGreaterThanOrEqual(bound * (1 - 1e-9));
    expect(seconds).toBeLessThan(bound / 0.9);
  });

  // Diameters; on a switch with one send at a time the number of those who know doubles, at best.
  it.each([
    ['ring:8', 4],
    ['torus:4x4', 4],
    ['mesh:4x4', 6],
    ['full:8', 1],
    ['tree:7', 2],
    ['switch:8', 3],
    ['switch:16', 4],
    ['switch:13', 4],
    ['dgx1', 2],
  ])('takes as few messages in a row on %s as any: %d', (name, messages) => {
    const topology = resolveTopology(name);
    expect(fastest(problemOn(topology, kind, {}, { size: 0 }), 0)).toBeCloseTo(messages * 1e-6, 12);
  });

  // 64 ranks are proved no otherwise than 16, and for long.
  it.each(loads.filter(([name]) => name !== 'torus:8x8'))(
    'is proved on %s from any root, in place and out of place',
    (name) => {
      const topology = resolveTopology(name);
      for (const root of [0, topology.chips.length - 1]) {
        for (const inPlace of [false, true]) {
          const { candidates } = proposed(problemOn(topology, kind, { root, inPlace }));
          expect(candidates.length).toBeGreaterThan(0);
          for (const candidate of candidates) expect(faults(candidate, topology)).toEqual([]);
        }
      }
    },
  );

  it('is proved on machines at random', () => {
    fc.assert(
      fc.property(machines, fc.boolean(), fc.nat(), fc.constantFrom(1, 2), (topology, inPlace, seed, multiple) => {
        const root = seed % topology.chips.length;
        const { candidates } = proposed(problemOn(topology, kind, { root, inPlace }, { seed }));
        expect(candidates.length).toBeGreaterThan(0);
        for (const candidate of candidates) expect(faults(candidate, topology, multiple)).toEqual([]);
      }),
      drawn(30),
    );
  });

  it('makes the chunks that are asked for', () => {
    const { candidates } = proposed(problemOn(resolveTopology('torus:4x4'), kind, {}, { chunks: 3 }));
    expect(candidates.map((candidate) => candidate.build(2).collective.chunks)).toEqual(candidates.map(() => 6));
    expect(candidates.length).toBeGreaterThan(0);
  });

  it('says why it has nothing', () => {
    const oneWay = machine(2, 0, [
      { from: kind === 'scatter' ? 1 : 0, to: kind === 'scatter' ? 0 : 1, bandwidth: 1e9, held: true },
    ]);
    expect(proposed(problemOn(oneWay, kind)).dismissals).toEqual(['some rank cannot be reached from some other']);
    const large = resolveTopology('switch:300');
    expect(proposed(problemOn(large, kind)).dismissals).toEqual(['to search paths for 300 ranks would take too long']);
  });
});

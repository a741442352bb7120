/** Short allreduces whose ranks exchange sums of cells. */
import { describe, expect, it } from 'vitest';
import { resolveTopology, withoutParts } from '../../src/read/index.ts';
import { type Candidate, engines } from '../../src/synth/index.ts';
import { moveProblemFactory } from '../../src/synth/list/machine.ts';
import { cellLevels } from '../../src/synth/merging/cells.ts';
import { problemOn, provedSeconds } from './list/support.ts';
import { candidatesAmong, problemFor } from './problems.ts';

function mergingOn(machine: string, size: number, ordered = false): Candidate[] {
  const folding = engines.find(({ name }) => name === 'folding');
  const proposals = folding?.propose(problemOn(machine, { kind: 'allreduce', size, ordered })) ?? [];
  return candidatesAmong(proposals).filter(({ name }) => name.startsWith('merging'));
}

function fewest(candidates: readonly Candidate[], machine: string, size: number): number {
  return Math.min(...candidates.map(({ build }) => provedSeconds(build(1), machine, size)));
}

describe('merging sums', () => {
  it('is proved with every number of exchanges, on machines of all kinds', () => {
    for (const machine of ['torus:3x3', 'switch:6', 'line:5', 'mi250', 'dgx1-cluster:2', 'fattree']) {
      const candidates = mergingOn(machine, 96);
      expect(candidates.length).toBeGreaterThan(0);
      for (const { build } of candidates) {
        provedSeconds(build(1), machine, 96);
        provedSeconds(build(3), machine, 96);
      }
    }
  });

  it('is recursive doubling where pairs are joined to pairs', () => {
    // D exchanges of a vector with one partner, and as many reductions: Thakur, Rabenseifner and Gropp 2005.
    const [alpha, perByte, perReduced, size] = [1e-6, 1 / 10e9, 1 / 50e9, 1024];
    for (const dimensions of [2, 3, 5]) {
      const machine = `hypercube:${dimensions}`;
      const doubling = mergingOn(machine, size).filter(({ name }) => name.endsWith(`in ${dimensions} exchanges`));
      expect(doubling).toHaveLength(1);
      const expected = dimensions * (alpha + size * (perByte + perReduced));
      expect(fewest(doubling, machine, size)).toBeCloseTo(expected, 12);
    }
  });

  it('takes two hops where one link of a full mesh is lost, not four', () => {
    const topology = withoutParts(resolveTopology('full:12'), ['link:1-3']);
    const collective = {
      kind: 'allreduce',
      ranks: 12,
      chunks: 1,
      root: 0,
      op: 'sum',
      ordered: false,
      inPlace: false,
    } as const;
    const folding = engines.find(({ name }) => name === 'folding');
    const candidates = candidatesAmong(folding?.propose(problemFor(collective, topology, { size: 96 })) ?? []);
    const merging = candidates.filter(({ name }) => name.startsWith('merging'));
    const seconds = merging.map(({ estimatedTime }) => estimatedTime?.() ?? Number.POSITIVE_INFINITY);
    expect(Math.min(...seconds)).toBeGreaterThan(2e-6);
    expect(Math.min(...seconds)).toBeLessThan(2.2e-6);
  });

  it('is left out where a link carries a vector no sooner than its latency, and for operators in rank order', () => {
    expect(mergingOn('hypercube:3', 16 * 1024)).toEqual([]);
    expect(mergingOn('hypercube:3', 96, true)).toEqual([]);
  });
});

describe('cells', () => {
  it('lie in larger ones up to all ranks, and reach each other both ways', () => {
    for (const machine of ['mesh:3x4', 'mi250:2', 'routed-ring:6', 'switch:7']) {
      const topology = resolveTopology(machine);
      const ways = moveProblemFactory(problemOn(machine, { kind: 'allreduce' }))('allgather', false).routes();
      const { levels } = cellLevels(topology, ways);
      expect(new Set(levels[0]).size).toBe(topology.chips.length);
      expect(new Set(levels.at(-1)).size).toBe(1);
      levels.slice(1).forEach((larger, level) => {
        for (const cell of new Set(levels[level])) {
          const members = [...larger.keys()].filter((rank) => levels[level][rank] === cell);
          expect(new Set(members.map((rank) => larger[rank])).size).toBe(1);
        }
      });
    }
  });

  it('are single ranks or all of them where links go one way round', () => {
    const ring = resolveTopology('ring:5');
    const oneWay = { ...ring, links: ring.links.filter(({ from, to }) => to === (from + 1) % 5) };
    const collective = {
      kind: 'allreduce',
      ranks: 5,
      chunks: 1,
      root: 0,
      op: 'sum',
      ordered: false,
      inPlace: false,
    } as const;
    const ways = moveProblemFactory(problemFor(collective, oneWay))('allgather', false).routes();
    expect(cellLevels(oneWay, ways).levels.map((level) => [...level])).toEqual([
      [0, 1, 2, 3, 4],
      [0, 0, 0, 0, 0],
    ]);
  });
});

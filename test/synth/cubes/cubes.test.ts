/** Allreduces along the edges of hypercubes that machines hold: their times by closed form, their results by proof. */
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/ir/random.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import { lower } from '../../../src/lower/index.ts';
import { resolveTopology, withoutLink } from '../../../src/read/index.ts';
import { cornersOf } from '../../../src/synth/cubes/corners.ts';
import { engines } from '../../../src/synth/index.ts';
import { prove } from '../../../src/verify/index.ts';
import { problemOn, provedSeconds, type Wanted } from '../list/support.ts';
import { candidatesAmong, reasonsAmong } from '../problems.ts';

const size = 3 * 2 ** 20;

function proposalsOn(machine: string | Topology, wanted: Partial<Wanted> = {}) {
  const engine = engines.find(({ name }) => name === 'cubes');
  return [...(engine?.propose(problemOn(machine, { kind: 'allreduce', size, ...wanted })) ?? [])];
}

/** Reducing takes no time, so that messages alone count. */
function withoutEngines(name: string): Topology {
  const machine = resolveTopology(name);
  return { ...machine, nodes: machine.nodes.map((node) => ({ ...node, reduce: undefined })) };
}

function pairs({ links }: Topology): ReadonlySet<string> {
  return new Set(links.map(({ from, to }) => `${from} ${to}`));
}

function expectCube(order: readonly number[], machine: Topology): void {
  const linked = pairs(machine);
  expect([...order].sort((a, b) => a - b)).toEqual(machine.chips.map((_, rank) => rank));
  for (const [corner, rank] of order.entries()) {
    for (let bit = 1; bit < order.length; bit *= 2) {
      expect(linked).toContain(`${machine.chips[rank]} ${machine.chips[order[corner ^ bit]]}`);
    }
  }
}

describe('hypercubes among links', () => {
  it.each([
    'ring:4',
    'torus:4x4',
    'torus:2x4',
    'torus:4x4x4',
    'mesh:2x2',
    'hypercube:5',
    'full:8',
    'dgx1',
    'line:2',
    'sg2260x4',
  ])('are found on %s', (name) => {
    const machine = resolveTopology(name);
    expectCube(cornersOf(machine) ?? [], machine);
  });

  it.each(['ring:8', 'mesh:4x4', 'torus:8x8', 'torus:3x4', 'full:6', 'switch:4', 'line:4'])('are not on %s', (name) => {
    expect(cornersOf(resolveTopology(name))).toBeUndefined();
  });

  it('are not where one of their links is missing, in one direction even', () => {
    const machine = resolveTopology('hypercube:3');
    expect(cornersOf(withoutLink(machine, 0, 1))).toBeUndefined();
    expect(cornersOf({ ...machine, links: machine.links.slice(1) })).toBeUndefined();
  });

  it('are found exactly where some order of the ranks is one, on random machines of eight chips', () => {
    const random = new Random(5);
    const full = resolveTopology('full:8');
    const found = new Set<boolean>();
    for (let round = 0; round < 40; round++) {
      const between = new Set(
        full.links.filter(({ from, to }) => from < to && random.below(10) < 6).map(({ from, to }) => `${from} ${to}`),
      );
      const links = full.links.filter(({ from, to }) => between.has(`${Math.min(from, to)} ${Math.max(from, to)}`));
      const machine = { ...full, links };
      const order = cornersOf(machine);
      if (order !== undefined) expectCube(order, machine);
      expect(order !== undefined).toBe(hasCube(machine));
      found.add(order !== undefined);
    }
    expect(found.size).toBe(2);
  });
});

/** Tries all orders of eight ranks, corner by corner, in no clever order. */
function hasCube(machine: Topology): boolean {
  const linked = pairs(machine);
  const fits = (order: readonly number[]): boolean => {
    const last = order.length - 1;
    for (let bit = 1; bit < 8; bit *= 2) {
      if ((last ^ bit) < last && !linked.has(`${order[last]} ${order[last ^ bit]}`)) return false;
    }
    return true;
  };
  const grows = (order: readonly number[]): boolean =>
    order.length === 8 ||
    machine.chips.some((rank) => !order.includes(rank) && fits([...order, rank]) && grows([...order, rank]));
  return grows([]);
}

describe('allreduces along edges', () => {
  it.each([
    ['ring:4', 2],
    ['hypercube:3', 3],
    ['torus:2x4', 3],
    ['torus:4x4', 4],
  ])('on %s take as long as their messages in a row, whatever is halved', (name, dimensions) => {
    const machine = withoutEngines(name);
    const { latency, bandwidth } = machine.links[0];
    const times = candidatesAmong(proposalsOn(machine)).map(({ build }) => provedSeconds(build(1), machine, size));
    const expected = Array.from({ length: dimensions }, (_, halved) => {
      // Every link carries its part: whole, halved once, twice …, and back.
      const parts = Array.from({ length: dimensions + halved }, (_, step) => {
        const times = step < dimensions ? Math.min(step + 1, halved) : dimensions + halved - step;
        return 2 ** -times;
      });
      const carried = parts.reduce((sum, part) => sum + part, 0) / dimensions;
      return (dimensions + halved) * latency + (carried * size) / bandwidth;
    });
    expect(times).toHaveLength(dimensions);
    times.forEach((time, halved) => {
      expect(time / expected[halved]).toBeCloseTo(1, 9);
    });
  });

  it('are proved for several chunks to the piece, on all shipped machines that hold a hypercube', () => {
    for (const name of ['sg2260x4', 'dgx1', 'full:4', 'hypercube:4']) {
      for (const { build } of candidatesAmong(proposalsOn(name))) {
        expect(provedSeconds(build(3), name, size)).toBeGreaterThan(0);
      }
    }
  });

  it('give all ranks the same bits', () => {
    for (const { name, build } of candidatesAmong(proposalsOn('torus:2x4'))) {
      expect(prove(lower(build(1)), { bitwise: true }).verification.findings, name).toEqual([]);
    }
  });

  it('say why there are none', () => {
    expect(reasonsAmong(proposalsOn('ring:8'))).toEqual(['no hypercube was found among the links']);
    expect(reasonsAmong(proposalsOn('full:8'))).toEqual(['a hypercube leaves most of the links idle']);
    expect(candidatesAmong(proposalsOn('full:8', { byName: true }))).toHaveLength(3);
    expect(reasonsAmong(proposalsOn('ring:4', { ordered: true }))).toEqual(['needs an operator that commutes']);
    expect(reasonsAmong(proposalsOn('ring:4', { chunks: 2 }))).toEqual(['needs a multiple of 4 chunks, not 2']);
    expect(proposalsOn('ring:4', { kind: 'reduce' })).toEqual([]);
    expect(proposalsOn('ring:4', { algorithm: 'ring' })).toEqual([]);
  });
});

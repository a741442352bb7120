/** Hypercubes among the links of machines, held against a search of all orders. */
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/ir/random.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import { resolveTopology, withoutLink } from '../../../src/read/index.ts';
import { cornersOf } from '../../../src/synth/levels/corners.ts';

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

import { describe, expect, it } from 'vitest';
import { Routes } from '../../../src/ir/routes.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { type UnitMachine, unitMachineOf } from '../../../src/synth/exact/machine.ts';
import { freeSymmetry } from '../../../src/synth/exact/symmetry.ts';

function machineOf(topo: string): UnitMachine {
  return unitMachineOf(new Routes(resolveTopology(topo)), false);
}

/** Links from rank to rank with their units, after renumbering, as sorted text. */
function linksOf({ routes, units }: UnitMachine, image: (rank: number) => number): readonly string[] {
  return routes.map(({ from, to, links }) => `${image(from)} ${image(to)} ${links.map((l) => units[l])}`).sort();
}

describe('free symmetry', () => {
  it.each([
    ['ring:5', 5],
    ['ring:16', 16],
    ['torus:4x4', 16],
    ['torus:3x5', 15],
    ['hypercube:4', 16],
    ['full:6', 6],
    // The corners of a square mesh are alike, and its rotations have no fixed chip where the sides are even.
    ['mesh:4x4', 4],
    ['line:4', 2],
    // The middle of a line of three, and the hub of a tree, are like no other chip.
    ['line:3', 1],
    ['tree:7', 1],
    ['dgx1', 4],
  ])('of %s has %d elements', (topo, order) => {
    expect(freeSymmetry(machineOf(topo))).toHaveLength(order);
  });

  it.each(['dgx1', 'ring:6', 'torus:4x4', 'mesh:4x4', 'sg2260-cards', 'h100'])(
    'of %s is a group that keeps the links and moves every chip',
    (topo) => {
      const machine = machineOf(topo);
      const group = freeSymmetry(machine);
      const names = new Set(group.map(({ ranks }) => ranks.join(' ')));
      expect(names.size).toBe(group.length);
      expect([...group[0].ranks]).toEqual(Array.from({ length: machine.ranks }, (_, rank) => rank));
      for (const [index, { ranks, routes }] of group.entries()) {
        expect(linksOf(machine, (rank) => ranks[rank])).toEqual(linksOf(machine, (rank) => rank));
        expect(index > 0 && ranks.some((image, rank) => image === rank)).toBe(false);
        for (const [way, { from, to }] of machine.routes.entries()) {
          expect(machine.routes[routes[way]]).toMatchObject({ from: ranks[from], to: ranks[to] });
        }
        for (const other of group) expect(names.has(ranks.map((rank) => other.ranks[rank]).join(' '))).toBe(true);
      }
    },
  );
});

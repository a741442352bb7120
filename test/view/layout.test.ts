/** Where machines are drawn: neighbours at distance 1, each shape as such, no two nodes at one place. */
import { describe, expect, it } from 'vitest';
import type { Topology } from '../../src/ir/topology.ts';
import { resolveTopology } from '../../src/read/index.ts';
import { bendsOf } from '../../src/view/machine/bends.ts';
import { layOutMachine } from '../../src/view/machine/layout.ts';
import type { MachineLayout } from '../../src/view/machine/places.ts';

function distance({ x, y }: MachineLayout, a: number, b: number): number {
  return Math.hypot(x[a] - x[b], y[a] - y[b]);
}

/** The least distance of two nodes. */
function closest(layout: MachineLayout): number {
  let least = Number.POSITIVE_INFINITY;
  for (let a = 0; a < layout.x.length; a++) {
    for (let b = 0; b < a; b++) least = Math.min(least, distance(layout, a, b));
  }
  return least;
}

const machines = [
  'ring:5',
  'ring:100',
  'line:20',
  'torus:4x4',
  'mesh:3x5',
  'torus:3x3x3',
  'hypercube:4',
  'full:7',
  'dgx1',
];
const boxed = [
  'switch:6',
  'a100:1',
  'a100:4',
  'dgx1-cluster',
  'fattree:4,2,4',
  'dragonfly',
  'sg2260-cards:3',
  'h100:9',
  'mi250:2',
];

describe('the layout of a machine', () => {
  it.each([...machines, ...boxed])('puts every node of %s into the frame, apart from the others', (name) => {
    const topology = resolveTopology(name);
    const layout = layOutMachine(topology);
    expect(layout.x).toHaveLength(topology.nodes.length);
    for (const node of topology.nodes.keys()) {
      expect(layout.x[node]).toBeGreaterThanOrEqual(-1e-9);
      expect(layout.x[node]).toBeLessThanOrEqual(layout.width + 1e-9);
      expect(layout.y[node]).toBeGreaterThanOrEqual(-1e-9);
      expect(layout.y[node]).toBeLessThanOrEqual(layout.height + 1e-9);
    }
    expect(closest(layout)).toBeGreaterThan(0.5);
  });

  it('draws a ring round: all neighbours of a ring of eight at distance 1', () => {
    const topology = resolveTopology('ring:8');
    const layout = layOutMachine(topology);
    expect(layout.kind).toBe('ring');
    for (const { from, to } of topology.links) expect(distance(layout, from, to)).toBeCloseTo(1, 9);
  });

  it.each([65, 100, 101, 512, 1000])('folds a ring of %i so that it still closes, in about a square', (ranks) => {
    const topology = resolveTopology(`ring:${ranks}`);
    const layout = layOutMachine(topology);
    expect(layout.kind).toBe('ring');
    for (const { from, to } of topology.links) expect(distance(layout, from, to)).toBeLessThan(1.5);
    expect(Math.abs(layout.width / layout.height - 1)).toBeLessThan(0.4);
  });

  it('draws a grid in rows and columns: node 4·r + c of a mesh of 4 × 4 at (c, r)', () => {
    const layout = layOutMachine(resolveTopology('mesh:4x4'));
    expect(layout.kind).toBe('grid');
    for (let node = 0; node < 16; node++) {
      expect([layout.x[node], layout.y[node]]).toEqual([node % 4, Math.floor(node / 4)]);
    }
  });

  it('draws planes of a torus of three axes side by side', () => {
    const { x, y } = layOutMachine(resolveTopology('torus:2x3x4'));
    const at = (plane: number, row: number, column: number) => plane * 12 + row * 4 + column;
    expect(y[at(1, 2, 3)]).toBe(2);
    expect(x[at(0, 2, 3)]).toBe(3);
    expect(x[at(1, 0, 0)]).toBeGreaterThan(4);
    expect(x[at(1, 0, 3)] - x[at(1, 0, 0)]).toBe(3);
  });

  it('puts the chips of a box into its rectangle, with the switch that only they have, and shared switches over all boxes', () => {
    const topology = resolveTopology('a100:2');
    const { x, y, boxes } = layOutMachine(topology);
    expect(boxes.map(({ label }) => label)).toEqual(['box 0', 'box 1']);
    const isIn = (node: number, box: number): boolean => {
      const { x: left, y: top, width, height } = boxes[box];
      return x[node] > left && x[node] < left + width && y[node] > top && y[node] < top + height;
    };
    for (let rank = 0; rank < 16; rank++) expect(isIn(topology.chips[rank], Math.floor(rank / 8))).toBe(true);
    const switches = topology.nodes.flatMap(({ kind }, node) => (kind === 'switch' ? [node] : []));
    expect(switches.map((node) => [isIn(node, 0), isIn(node, 1)])).toEqual([
      [true, false],
      [false, true],
      [false, false],
    ]);
    expect(y[switches[2]]).toBeLessThan(Math.min(...boxes.map((box) => box.y)));
  });
});

describe('bends', () => {
  const bendOf = (topology: Topology, from: number, to: number): number => {
    const link = topology.links.findIndex((each) => each.from === from && each.to === to);
    return bendsOf(topology.links, layOutMachine(topology))[link];
  };

  it('lead links that wrap round a torus past the nodes between', () => {
    const torus = resolveTopology('torus:4x4');
    expect(bendOf(torus, 0, 1)).toBe(0);
    expect(bendOf(torus, 0, 3)).toBeGreaterThan(0.27);
    expect(bendOf(torus, 0, 12)).toBeGreaterThan(0.27);
  });

  it('leave links straight that meet no node', () => {
    const full = resolveTopology('full:7');
    expect(bendsOf(full.links, layOutMachine(full)).every((bend) => bend === 0)).toBe(true);
  });
});

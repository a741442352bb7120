/** Places the nodes of a machine: rings as circles, grids as grids, boxes side by side with their switches above them. */
import { type GridAxis, GridRoutes } from '../../ir/grid-routes.ts';
import type { Topology } from '../../ir/topology.ts';
import { boxesLayout } from './boxes.ts';
import { graphOf, lineOrder, ringOrder } from './graph.ts';
import { gridOf } from './grid.ts';
import { columnsFor, type MachineLayout } from './places.ts';
import { spacing } from './spacing.ts';

export function layOutMachine(topology: Topology): MachineLayout {
  const { nodes, chips, groups } = topology;
  const onlyChips = nodes.length === chips.length;
  const graph = graphOf(topology);
  if (onlyChips && nodes.length > 1) {
    const ring = ringOrder(graph);
    if (ring !== undefined && ring.length <= spacing.circle) return onCircle('ring', ring);
    if (ring !== undefined) return folded(ring);
    const line = lineOrder(graph);
    if (line !== undefined) return toAndFro(line);
    const axes = GridRoutes.of(topology)?.axes();
    if (axes !== undefined && axes.length > 1) return onAxes(axes, nodes.length);
    const grid = gridOf(graph);
    if (grid !== undefined) return inRows('grid', grid.rows);
  }
  if (!onlyChips || groups.length > 1) return boxesLayout(topology, graph);
  const order = nodes.map((_, node) => node);
  if (order.length <= spacing.circle) return onCircle('circle', order);
  const columns = Math.ceil(Math.sqrt(order.length));
  return inRows('rows', rowsOf(order, columns));
}

/** Places a ring on a circle, clockwise from the top, with distance 1 between neighbours. */
function onCircle(kind: 'ring' | 'circle', order: readonly number[]): MachineLayout {
  const turn = (2 * Math.PI) / order.length;
  const radius =
    order.length < 2 ? 0 : Math.max((kind === 'circle' ? spacing.roomOnCircle : 1) * (0.5 / Math.sin(turn / 2)), 0.8);
  const x: number[] = [];
  const y: number[] = [];
  order.forEach((node, at) => {
    x[node] = radius * (1 + Math.sin(at * turn));
    y[node] = radius * (1 - Math.cos(at * turn));
  });
  return framed(kind, x, y);
}

/** Places a large ring as a block: an even number of rows that run to and fro, and a column on the left that leads back up. */
function folded(order: readonly number[]): MachineLayout {
  const rows = 2 * Math.round(Math.sqrt(order.length) / 2);
  const inColumn = order.length - rows;
  const startOf = (row: number): number => Math.floor((row * inColumn) / rows);
  return inRows(
    'ring',
    Array.from({ length: rows }, (_, row) => {
      const own = order.slice(startOf(row), startOf(row + 1));
      return [order[order.length - 1 - row], ...(row % 2 === 0 ? own : own.reverse())];
    }),
  );
}

/** Places a line in rows that run to and fro. */
function toAndFro(order: readonly number[]): MachineLayout {
  const columns = order.length <= spacing.line ? order.length : Math.ceil(Math.sqrt(order.length));
  const rows = rowsOf(order, columns);
  return inRows(
    'line',
    rows.map((row, index) => (index % 2 === 0 ? row : [...row].reverse())),
    columns,
  );
}

function rowsOf(order: readonly number[], columns: number): readonly (readonly number[])[] {
  return Array.from({ length: Math.ceil(order.length / columns) }, (_, row) =>
    order.slice(row * columns, (row + 1) * columns),
  );
}

/** @param flushRight number of columns: every second row is aligned to the right within them */
function inRows(kind: MachineLayout['kind'], rows: readonly (readonly number[])[], flushRight?: number): MachineLayout {
  const x: number[] = [];
  const y: number[] = [];
  rows.forEach((row, r) => {
    const shift = flushRight !== undefined && r % 2 === 1 ? flushRight - row.length : 0;
    row.forEach((node, c) => {
      x[node] = c + shift;
      y[node] = r;
    });
  });
  return framed(kind, x, y);
}

/** Places a grid: the fastest-changing axis runs to the right, the next one down, and all others together number planes that are put in rows. */
function onAxes(axes: readonly GridAxis[], nodes: number): MachineLayout {
  const [across, down, ...others] = [...axes].reverse();
  const at = ({ extent, stride }: GridAxis, node: number): number => Math.floor(node / stride) % extent;
  const planes = others.reduce((product, { extent }) => product * extent, 1);
  const perRow = columnsFor(planes, across.extent + spacing.gap, down.extent + spacing.gap);
  const x: number[] = [];
  const y: number[] = [];
  for (let node = 0; node < nodes; node++) {
    const plane = others.reduceRight((number, axis) => number * axis.extent + at(axis, node), 0);
    x[node] = at(across, node) + (plane % perRow) * (across.extent + spacing.gap);
    y[node] = at(down, node) + Math.floor(plane / perRow) * (down.extent + spacing.gap);
  }
  return framed('grid', x, y);
}

/** A layout without boxes. The given places start at 0. */
function framed(kind: MachineLayout['kind'], x: readonly number[], y: readonly number[]): MachineLayout {
  return { kind, x, y, width: Math.max(0, ...x), height: Math.max(0, ...y), boxes: [] };
}

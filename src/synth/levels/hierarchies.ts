/** Hierarchies of ranks: boxes and the network between them, or the axes of a grid. */
import { type GridAxis, GridRoutes } from '../../ir/grid-routes.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Topology } from '../../ir/topology.ts';
import { axesOf } from '../symmetric/axis-paths.ts';
import { findSymmetry } from '../symmetric/machine.ts';

/**
 * Places in mixed radix, the last axis fastest. Ranks that differ in one coordinate form a line, which runs collectives
 * of its own.
 */
export interface Hierarchy {
  /** For names of candidates; empty for boxes whose members all communicate across. */
  readonly name: string;
  /**
   * At least two axes with at least two positions each. For boxes: first axis the boxes, second the position in the
   * box.
   */
  readonly extents: readonly number[];
  /** By place. */
  readonly ranks: readonly number[];
  /** By part of a vector: the order in which the part traverses the axes. */
  readonly orders: readonly (readonly number[])[];
  readonly isGrid: boolean;
  /**
   * By box: ranks without a place (guests). They exchange data that leaves or enters the box with the ranks that have
   * one.
   */
  readonly guests?: readonly (readonly number[])[];
}

/** `groups[g][p]` is the rank at position p of group g. */
type Groups = readonly (readonly number[])[];

/**
 * Boxes joined by as many rails as the box with the fewest carriers has; a carrier reaches other boxes without passing
 * another member of its box. The other members are guests: where groups differ in size, or a chip can leave its group
 * only through another chip. If every guest has a counterpart in every group, guests can also form a rail, whatever
 * route it takes.
 */
export function boxHierarchy(groups: Groups, routes: Routes): readonly Hierarchy[] {
  const places = groups[0].length;
  const areEqual = groups.every(({ length }) => length === places);
  const carriers = groups.map((_, group) => carriersOf(group, groups, routes));
  // In groups of one size, members at the same position form a rail.
  const isRail = (position: number): boolean => groups.every((members, g) => carriers[g].includes(members[position]));
  const able = areEqual ? groups.map((members) => members.filter((_, position) => isRail(position))) : carriers;
  const found = Math.min(...able.map(({ length }) => length));
  const rails = found > 0 ? found : Math.min(...groups.map(({ length }) => length));
  const chosen = (found > 0 ? able : groups).map((members) => members.slice(0, rails));
  const guests = groups.map((members, group) => members.filter((rank) => !chosen[group].includes(rank)));
  const boxes = { name: '', orders: [[1, 0]], isGrid: false };
  const hierarchies: Hierarchy[] = [];
  if (guests.some(({ length }) => length > 0))
    hierarchies.push({ ...boxes, name: 'carriers', extents: [groups.length, rails], ranks: chosen.flat(), guests });
  if (areEqual) hierarchies.push({ ...boxes, extents: [groups.length, places], ranks: groups.flat() });
  return hierarchies;
}

/** Members that can send to and receive from the next group without passing other members of their own. */
function carriersOf(group: number, groups: Groups, routes: Routes): readonly number[] {
  const { links, chips } = routes.topology;
  const next = groups[(group + 1) % groups.length];
  const own = new Set(groups[group].map((rank) => chips[rank]));
  const leaves = (from: number, to: number): boolean =>
    routes.between(from, to)?.links.every((link, hop) => hop === 0 || !own.has(links[link].from)) === true;
  const enters = (from: number, to: number): boolean =>
    routes.between(from, to)?.links.every((link, hop, { length }) => hop === length - 1 || !own.has(links[link].to)) ===
    true;
  return groups[group].filter((rank) => next.some((other) => leaves(rank, other) && enters(other, rank)));
}

/**
 * A mesh or torus by its axes. A ring of four counts as two axes of two (two dimensions of a hypercube in Gray code)
 * where all axes are rings of four or pairs.
 */
export function gridHierarchies(topology: Topology): readonly Hierarchy[] {
  const axes = axesOfGrid(topology);
  const extents = axes.map(({ extent }) => extent);
  const inOrder = Array.from(topology.chips.keys());
  const grids = extents.length > 1 ? [gridOf(extents, inOrder)] : [];
  const isCube = axes.every(({ extent, wraps }) => extent === 2 || (extent === 4 && wraps));
  if (!isCube || !extents.includes(4)) return grids;
  const inGrayCode = inOrder.map((place) =>
    axes.reduce((rank, { extent, stride }) => {
      const along = Math.floor(place / stride) % extent;
      return rank + stride * (along ^ (along >> 1));
    }, 0),
  );
  return [...grids, gridOf(new Array(Math.log2(inOrder.length)).fill(2), inGrayCode)];
}

/** One part per axis: it starts on that axis and continues cyclically. */
function gridOf(extents: readonly number[], ranks: readonly number[]): Hierarchy {
  const axes = [...extents.keys()];
  const orders = axes.map((axis) => [...axes.slice(axis), ...axes.slice(0, axis)]);
  return { name: extents.join('x'), extents, ranks, orders, isGrid: true };
}

/** Links of different axes may differ even if the machine looks the same from every chip. */
function axesOfGrid(topology: Topology): readonly GridAxis[] {
  const axes = GridRoutes.of(topology)?.axes();
  if (axes !== undefined) return axes;
  const search = findSymmetry(topology);
  if (!search.found) return [];
  const { group, generators } = search.machine;
  return (axesOf(group, generators) ?? []).map((axis) => ({ ...axis, wraps: true }));
}

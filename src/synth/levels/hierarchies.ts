/** Hierarchies in which ranks stand: boxes and what joins them, or the axes of a grid. */
import { type GridAxis, GridRoutes } from '../../ir/grid-routes.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Topology } from '../../ir/topology.ts';
import { axesOf } from '../symmetric/axis-paths.ts';
import { findSymmetry } from '../symmetric/machine.ts';

/** Places in mixed radix, the last axis fastest. Ranks that differ in one coordinate form a line, which runs collectives of its own. */
export interface Hierarchy {
  /** For names of candidates; empty for boxes of whose ranks all take part in what goes across. */
  readonly name: string;
  /** Of two axes or more, with two places or more each. Boxes are the first axis, and the places in them the second. */
  readonly extents: readonly number[];
  /** By place. */
  readonly ranks: readonly number[];
  /** Parts of a vector, side by side: in which order each takes the axes. */
  readonly orders: readonly (readonly number[])[];
  readonly isGrid: boolean;
  /** By box: ranks without a place, who hand over to those with one what is to leave the box and get from them what enters it. */
  readonly guests?: readonly (readonly number[])[];
}

/** `groups[g][p]` is the rank at position p of group g. */
type Groups = readonly (readonly number[])[];

/**
 * Boxes, joined by as many rails as the poorest has carriers: ranks who reach other boxes past nobody of their own. Where groups differ in size, or a chip has no
 * way out of its group any more but over another one, the other members are guests. Where every guest has its match in every group,
 * they can also be a rail of their own, whatever way that takes.
 */
export function boxHierarchy(groups: Groups, routes: Routes): readonly Hierarchy[] {
  const places = groups[0].length;
  const areEqual = groups.every(({ length }) => length === places);
  const carriers = groups.map((_, group) => carriersOf(group, groups, routes));
  // Positions of groups of one size stay together.
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

/** Members who reach somebody in the next group, and are reached from there, over none of their own group. */
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

/** A mesh or torus by its axes; where these are rings of four and pairs, as a hypercube too: around a ring of four go two dimensions in Gray code. */
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

/** A part for each axis takes the axes from its own on, round. */
function gridOf(extents: readonly number[], ranks: readonly number[]): Hierarchy {
  const axes = [...extents.keys()];
  const orders = axes.map((axis) => [...axes.slice(axis), ...axes.slice(0, axis)]);
  return { name: extents.join('x'), extents, ranks, orders, isGrid: true };
}

/** Links on different axes may differ where the machine looks the same from every chip. */
function axesOfGrid(topology: Topology): readonly GridAxis[] {
  const axes = GridRoutes.of(topology)?.axes();
  if (axes !== undefined) return axes;
  const search = findSymmetry(topology);
  if (!search.found) return [];
  const { group, generators } = search.machine;
  return (axesOf(group, generators) ?? []).map((axis) => ({ ...axis, wraps: true }));
}

/** Ranks that stand in a grid: a hierarchy whose levels are its axes. */
import { GridRoutes } from '../../ir/grid-routes.ts';
import type { Topology } from '../../ir/topology.ts';
import { axesOf } from '../symmetric/axis-paths.ts';
import { findSymmetry } from '../symmetric/machine.ts';
import { cornersOf } from './corners.ts';

/** Places in mixed radix, the last axis fastest; neighbours on an axis have links to each other. */
export interface Grid {
  /** Of two axes or more, with two places or more each. */
  readonly extents: readonly number[];
  /** By place. */
  readonly ranks: readonly number[];
}

/** A mesh or torus by its axes, and a hypercube among the links by its dimensions: a torus of rings of four is both. */
export function gridsOf(topology: Topology): readonly Grid[] {
  const extents = extentsOf(topology);
  const inOrder = Array.from(topology.chips.keys());
  const grids = extents.length > 1 ? [{ extents, ranks: inOrder }] : [];
  if (extents.length > 1 && extents.every((extent) => extent === 2)) return grids;
  const corners = cornersOf(topology) ?? [];
  const dimensions = Math.log2(corners.length);
  return dimensions < 2 ? grids : [...grids, { extents: new Array(dimensions).fill(2), ranks: corners }];
}

/** Links on different axes may differ where the machine looks the same from every chip. */
function extentsOf(topology: Topology): readonly number[] {
  const axes = GridRoutes.of(topology)?.axes();
  if (axes !== undefined) return axes.map(({ extent }) => extent);
  const search = findSymmetry(topology);
  if (!search.found || !search.machine.isDirect) return [];
  const { group, generators } = search.machine;
  const offsets = generators.map(({ offset }) => offset);
  return (axesOf(group, offsets) ?? []).map(({ extent }) => extent);
}

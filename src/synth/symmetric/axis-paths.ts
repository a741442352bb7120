/**
 * Paths of an alltoall on rings, tori and hypercubes: each item goes the short way along one axis after the other. The
 * parts of a shard take the axes in different orders, so that all axes are busy at once; what is just as far both ways
 * round goes either way. On equal extents every link then carries the same in every step, as many steps as the machine is
 * wide: both the steps and the bytes over each link are the fewest there can be.
 */
import type { TranslationGroup } from '../../ir/translation-group.ts';

/** One axis on which chips have links to their neighbours. */
export interface Axis {
  readonly extent: number;
  /** How far apart neighbours are in rank numbers. */
  readonly stride: number;
  /** Indices of the generators one place up and one place down; the same one where the extent is 2. */
  readonly up: number;
  readonly down: number;
}

/** One hop of the item that rank 0 sends to rank `offset`: part `part` of the shard. All ranks do the same, shifted. */
export interface Hop {
  readonly step: number;
  readonly generator: number;
  readonly offset: number;
  readonly part: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** The axes of a machine whose generators are one place up and down each of them; undefined for other machines. */
export function axesOf({ shape, order }: TranslationGroup, offsets: readonly number[]): readonly Axis[] | undefined {
  const axes: Axis[] = [];
  let stride = order;
  for (const extent of shape) {
    stride /= extent;
    if (extent === 1) continue;
    const axis = { extent, stride, up: offsets.indexOf(stride), down: offsets.indexOf(stride * (extent - 1)) };
    if (axis.up < 0 || axis.down < 0) return undefined;
    axes.push(axis);
  }
  const used = new Set(axes.flatMap(({ up, down }) => [up, down]));
  return used.size === offsets.length ? axes : undefined;
}

/** Parts that a shard has to be cut into: one per order of the axes, and two where half of the ring goes either way. */
export function partsFor(axes: readonly Axis[]): number {
  return axes.length === 1 && axes[0].extent > 2 && axes[0].extent % 2 === 0 ? 2 : axes.length;
}

/** All hops, in no particular order. */
export function axisPaths({ order }: TranslationGroup, axes: readonly Axis[], parts: number): readonly Hop[] {
  const hops: Hop[] = [];
  for (let part = 0; part < parts; part++) {
    const first = part % axes.length;
    const inOrder = [...axes.slice(first), ...axes.slice(0, first)];
    for (let offset = 1; offset < order; offset++) hops.push(...pathOf(offset, part, inOrder));
  }
  return hops;
}

function pathOf(offset: number, part: number, axes: readonly Axis[]): readonly Hop[] {
  const moves: { step: number; generator: number }[] = [];
  const coordinates = axes.map(({ stride, extent }) => Math.floor(offset / stride) % extent);
  const sum = coordinates.reduce((total, coordinate) => total + coordinate, part);
  let start = 0;
  for (const [i, { extent, up, down }] of axes.entries()) {
    const places = coordinates[i];
    const isUp = 2 * places === extent ? (sum - places) % 2 === 0 : 2 * places < extent;
    const distance = isUp ? places : extent - places;
    // Every axis has its time, however short an item's way on it: those of all items end together.
    for (let hop = 0; hop < distance; hop++) moves.push({ step: start + hop, generator: isUp ? up : down });
    start += Math.floor(extent / 2);
  }
  const last = moves.length - 1;
  return moves.map((move, i) => ({ ...move, offset, part, isFirst: i === 0, isLast: i === last }));
}

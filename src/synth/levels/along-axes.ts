/**
 * Compositions along the axes of a grid: one level for each, of collectives among the ranks of its lines. An allreduce is divided into a part for each axis,
 * which takes the axes from its own on, round, so that all axes are busy at any time (Johnsson and Ho 1989 for hypercubes; Sack and Gropp 2015 for tori). Along
 * its first axes a part may be scattered, which saves bytes and costs messages: recursive halving, where lines are pairs. A rank has about as many messages as the
 * axes have places together. Shards lie in the order of ranks, those of a line next to each other along the last axes only: there one part has to do.
 */
import type { CollectiveKind } from '../../ir/collective.ts';
import { leastCommonMultiple } from '../../ir/whole-numbers.ts';
import type { Grid } from './axes.ts';
import type { Aim, Communicator, Composition, Level } from './composition.ts';

/** A stretch of units, and the axes in the order in which it takes them. */
interface Part {
  readonly from: number;
  readonly count: number;
  readonly axes: readonly number[];
  /** Where units are shards: the rank of each. */
  readonly shards?: readonly number[];
}

const aims: readonly Aim[] = ['size'];

/** None for kinds in which not all ranks do the same, nor for alltoalls. */
export function alongAxes(kind: CollectiveKind, grid: Grid): readonly Composition[] {
  const { extents, ranks } = grid;
  const axes = [...extents.keys()];
  const name = extents.join('x');
  if (kind === 'reducescatter' || kind === 'allgather') {
    const levels = axes.map((_, depth) =>
      levelOf(kind, grid, [{ from: 0, count: ranks.length, axes, shards: ranks }], depth),
    );
    return [{ name, aims, units: ranks.length, levels: kind === 'allgather' ? levels.reverse() : levels }];
  }
  if (kind !== 'allreduce') return [];
  const orders = axes.map((axis) => [...axes.slice(axis), ...axes.slice(0, axis)]);
  const ofParts = [0, ...axes.map((axis) => axis + 1)].map((scattered) => reduced(grid, orders, scattered, name));
  // Parts that meet on the longer axes wait for each other's latencies there.
  const areEqual = extents.every((extent) => extent === extents[0]);
  return areEqual ? ofParts : [...ofParts, reduced(grid, [axes], 0, `${name}, undivided`)];
}

/** An allreduce with a part for each order of the axes, scattered along its first ones. */
function reduced(grid: Grid, orders: readonly (readonly number[])[], scattered: number, name: string): Composition {
  const { extents } = grid;
  const blocks = orders.map((order) => order.slice(0, scattered).reduce((product, axis) => product * extents[axis], 1));
  const count = blocks.reduce(leastCommonMultiple, 1);
  const parts = orders.map((order, part) => ({ from: part * count, count, axes: order }));
  const depths = [...extents.keys()];
  const levels = (of: CollectiveKind, from: number, to: number): readonly Level[] =>
    depths.slice(from, to).map((depth) => levelOf(of, grid, parts, depth, scattered));
  return {
    name: scattered === 0 ? name : `${name}, ${scattered} scattered`,
    aims,
    units: parts.length * count,
    levels: [
      ...levels('reducescatter', 0, scattered),
      ...levels('allreduce', scattered, extents.length),
      ...levels('allgather', 0, scattered).toReversed(),
    ],
  };
}

/** What every part does on its axis at a depth, on all lines. */
function levelOf(
  kind: CollectiveKind,
  grid: Grid,
  parts: readonly Part[],
  depth: number,
  scattered = grid.extents.length,
): Level {
  return { where: 'along', kind, communicators: parts.flatMap((part) => linesOf(grid, part, depth, scattered)) };
}

/** The lines of a part's axis, each with the block of the part that its ranks have left between them. */
function linesOf({ extents, ranks }: Grid, part: Part, depth: number, scattered: number): readonly Communicator[] {
  const strides = extents.map((_, axis) => extents.slice(axis + 1).reduce((product, extent) => product * extent, 1));
  const own = part.axes[depth];
  const coordinate = (place: number, axis: number): number => Math.floor(place / strides[axis]) % extents[axis];
  const communicators: Communicator[] = [];
  for (const place of ranks.keys()) {
    if (coordinate(place, own) > 0) continue;
    let { from, count } = part;
    for (const axis of part.axes.slice(0, Math.min(depth, scattered))) {
      count /= extents[axis];
      from += coordinate(place, axis) * count;
    }
    const members = Array.from({ length: extents[own] }, (_, index) => ranks[place + index * strides[own]]);
    communicators.push({
      members,
      root: 0,
      units: Array.from({ length: count }, (_, index) => part.shards?.[from + index] ?? from + index),
    });
  }
  return communicators;
}

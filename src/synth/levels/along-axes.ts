/**
 * Compositions along the axes of a grid: one level for each, of collectives among the ranks of its lines. A vector is divided into a part for each axis,
 * which takes the axes from its own on, round, so that all axes are busy at any time (Johnsson and Ho 1989 for hypercubes; Sack and Gropp 2015 for tori). Along
 * its first axes a part may be scattered, which saves bytes and costs messages: recursive halving, where lines are pairs. A rank has about as many messages as the
 * axes have places together. Shards lie in the order of ranks, those of a line next to each other along the last axes only: there one part has to do.
 */
import { type CollectiveKind, collectiveFacts } from '../../ir/collective.ts';
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

/** A level of a composition: what all parts do on their axis at a depth. */
interface Step {
  readonly kind: CollectiveKind;
  readonly depth: number;
  /** Depths of the axes on which only the root's place takes part. */
  readonly only: readonly number[];
}

/**
 * None for scatters, gathers and alltoalls.
 *
 * @param root a rank, which counts for a broadcast and a reduce
 */
export function alongAxes(kind: CollectiveKind, root: number, grid: Grid): readonly Composition[] {
  const { extents, ranks } = grid;
  const axes = [...extents.keys()];
  const name = extents.join('x');
  if (kind === 'reducescatter' || kind === 'allgather') {
    const parts = [{ from: 0, count: ranks.length, axes, shards: ranks }];
    const steps = axes.map((depth): Step => ({ kind, depth, only: [] }));
    const levels = (kind === 'allgather' ? steps.reverse() : steps).map((step) =>
      levelOf(step, grid, parts, axes.length, root),
    );
    return [{ name, aims, units: ranks.length, levels }];
  }
  if (kind !== 'allreduce' && kind !== 'reduce' && kind !== 'broadcast') return [];
  const orders = axes.map((axis) => [...axes.slice(axis), ...axes.slice(0, axis)]);
  const composed = (scattered: number): Composition => {
    const { parts, units } = partsOf(extents, orders, scattered);
    const steps = stepsOf(kind, scattered, axes.length);
    const levels = steps.map((step) => levelOf(step, grid, parts, scattered, root));
    return { name: scattered > 0 ? `${name}, ${scattered} scattered` : name, aims, units, levels };
  };
  return [0, ...axes.map((axis) => axis + 1)].map(composed);
}

/** A part for each order of the axes, of as many blocks as the first axes of any order have places. */
function partsOf(
  extents: readonly number[],
  orders: readonly (readonly number[])[],
  scattered: number,
): { readonly parts: readonly Part[]; readonly units: number } {
  const blocks = orders.map((order) => order.slice(0, scattered).reduce((product, axis) => product * extents[axis], 1));
  const count = blocks.reduce(leastCommonMultiple, 1);
  return { parts: orders.map((axes, part) => ({ from: part * count, count, axes })), units: orders.length * count };
}

/** A broadcast is a reduce backwards. */
function stepsOf(kind: 'allreduce' | 'reduce' | 'broadcast', scattered: number, axes: number): readonly Step[] {
  const depths = Array.from({ length: axes }, (_, depth) => depth);
  const [first, rest] = [depths.slice(0, scattered), depths.slice(scattered)];
  const all = (of: CollectiveKind): readonly Step[] => first.map((depth) => ({ kind: of, depth, only: [] }));
  if (kind === 'allreduce') {
    const whole = rest.map((depth): Step => ({ kind, depth, only: [] }));
    return [...all('reducescatter'), ...whole, ...all('allgather').toReversed()];
  }
  const toRoot = (of: CollectiveKind, some: readonly number[], before: (depth: number) => readonly number[]) =>
    some.map((depth): Step => ({ kind: of, depth, only: before(depth) }));
  const whole = toRoot(kind, rest, (depth) => rest.filter((other) => other < depth));
  const blocks = toRoot(kind === 'reduce' ? 'gather' : 'scatter', first, (depth) => depths.slice(depth + 1));
  if (kind === 'reduce') return [...all('reducescatter'), ...whole, ...blocks.toReversed()];
  return [...blocks, ...whole.toReversed(), ...all('allgather').toReversed()];
}

function levelOf(step: Step, grid: Grid, parts: readonly Part[], scattered: number, root: number): Level {
  const communicators = parts.flatMap((part) => linesOf(step, grid, part, scattered, grid.ranks.indexOf(root)));
  return { where: 'along', kind: step.kind, communicators };
}

/**
 * The lines of a part's axis, each with the block of the part that its ranks have left between them.
 *
 * @param root its place
 */
function linesOf(
  { kind, depth, only }: Step,
  { extents, ranks }: Grid,
  part: Part,
  scattered: number,
  root: number,
): readonly Communicator[] {
  const strides = extents.map((_, axis) => extents.slice(axis + 1).reduce((product, extent) => product * extent, 1));
  const own = part.axes[depth];
  const coordinate = (place: number, axis: number): number => Math.floor(place / strides[axis]) % extents[axis];
  const isAtRoot = (place: number, axis: number): boolean => coordinate(place, axis) === coordinate(root, axis);
  const communicators: Communicator[] = [];
  for (const place of ranks.keys()) {
    if (coordinate(place, own) > 0 || !only.every((other) => isAtRoot(place, part.axes[other]))) continue;
    let { from, count } = part;
    for (const axis of part.axes.slice(0, Math.min(depth, scattered))) {
      count /= extents[axis];
      from += coordinate(place, axis) * count;
    }
    const members = Array.from({ length: extents[own] }, (_, index) => ranks[place + index * strides[own]]);
    const units = Array.from({ length: count }, (_, index) => part.shards?.[from + index] ?? from + index);
    communicators.push({ members, root: collectiveFacts[kind].rooted ? coordinate(root, own) : 0, units });
  }
  return communicators;
}

/**
 * How a collective over a hierarchy is composed of levels, each of many communicators side by side. Data is described
 * in units of the message, so that no level depends on the chunks of another.
 * Each part of a vector traverses the axes one after the other. Along its first axes it may be scattered, which saves
 * bytes and costs messages (recursive halving, if lines are pairs). Over boxes it is scattered within them, so that
 * every *rail* (the ranks at the same position of all boxes) carries a part across and every chip's link to other boxes
 * is used (BlueConnect: Cho et al., MLSys 2019). In a grid there is one part per axis, starting on that axis, so that
 * all axes are busy at any time (Johnsson and Ho 1989 for hypercubes; Sack and Gropp 2015 for tori). Collectives with
 * shards in rank order use one part only.
 */
import { type CollectiveKind, collectiveFacts } from '../../ir/collective.ts';
import { leastCommonMultiple } from '../../ir/whole-numbers.ts';
import type { Hierarchy } from './hierarchies.ts';

/** A set of ranks that run a collective among themselves. */
export interface Communicator {
  readonly members: readonly number[];
  /** Index of its root among the members; 0 for collectives without a root. */
  readonly root: number;
  /**
   * The units of the message that it works on, in the order of its own data: of n shards, shard s is the s-th n-th part
   * of them.
   */
  readonly units: readonly number[];
  /** Units in each member's shard, if they differ. */
  readonly counts?: readonly number[] | undefined;
}

/** Collectives of one kind that run side by side. */
export interface Level {
  readonly where: 'within' | 'across' | 'along';
  readonly kind: CollectiveKind;
  readonly communicators: readonly Communicator[];
}

/** What algorithms are chosen for: the time of the message in one bulk, or the throughput of many bulks. */
export type Aim = 'size' | 'throughput';

export interface Composition {
  /** For names of candidates; empty for the default composition. */
  readonly name: string;
  /** Compositions that send more than necessary are useless where throughput matters. */
  readonly aim: Aim;
  /** Number of equal units into which the message is divided. */
  readonly units: number;
  readonly levels: readonly Level[];
}

/** What all parts do on the axis that they traverse at a certain depth; it becomes a level. */
interface Step {
  readonly kind: CollectiveKind;
  readonly depth: number;
  /** Depths of the axes on which only lines at the root's coordinate take part, */
  readonly only?: readonly number[];
  /** or on which the lines at the root's coordinate do not take part. */
  readonly except?: readonly number[];
}

/**
 * The compositions of a collective.
 * @param root the root's rank, used by collectives that have one
 */
export function compositionsOf(kind: CollectiveKind, root: number, hierarchy: Hierarchy): readonly Composition[] {
  const { name, extents, isGrid, guests } = hierarchy;
  const axes = extents.length;
  const composed = (
    scattered: number,
    detail = '',
    aim: Aim = 'size',
    steps = stepsOf(kind, scattered, axes),
  ): Composition => {
    const { parts, units } = partsOf(kind, hierarchy, scattered);
    const levels = steps.map((step) => levelOf(step, hierarchy, parts, scattered, root));
    return { name: [name, detail].filter((text) => text !== '').join(', '), aim, units, levels };
  };
  switch (kind) {
    case 'allgather':
    case 'reducescatter':
      return [guests === undefined ? composed(axes) : withGuests(kind, hierarchy, guests)];
    case 'alltoall':
    case 'scatter':
    case 'gather':
      return isGrid || guests !== undefined ? [] : [composed(axes)];
    case 'allreduce':
    case 'broadcast':
    case 'reduce':
      if (isGrid) {
        const numbers = [0, ...extents.map((_, axis) => axis + 1)];
        return numbers.map((scattered) => composed(scattered, scattered > 0 ? `${scattered} scattered` : ''));
      }
      if (kind === 'allreduce') return [composed(2, '', 'throughput'), composed(1)];
      // Otherwise the root's link would carry the message twice, first in parts and then in full.
      return [composed(1), composed(1, 'whole at the root', 'throughput', wholeAtRoot(kind))];
    default:
      return [];
  }
}

/** A broadcast is a reversed reduce. */
function stepsOf(kind: CollectiveKind, scattered: number, axes: number): readonly Step[] {
  const depths = Array.from({ length: axes }, (_, depth) => depth);
  const [first, rest] = [depths.slice(0, scattered), depths.slice(scattered)];
  const all = (of: CollectiveKind, some = first): Step[] => some.map((depth) => ({ kind: of, depth }));
  const blocks = (of: CollectiveKind): Step[] =>
    first.map((depth) => ({ kind: of, depth, only: depths.slice(depth + 1) }));
  const whole = rest.map((depth) => ({ kind, depth, only: rest.filter((other) => other < depth) }));
  switch (kind) {
    case 'allgather':
      return all(kind).toReversed();
    case 'scatter':
      return blocks(kind);
    case 'gather':
      return blocks(kind).toReversed();
    case 'allreduce':
      return [...all('reducescatter'), ...all(kind, rest), ...all('allgather').toReversed()];
    case 'reduce':
      return [...all('reducescatter'), ...whole, ...blocks('gather').toReversed()];
    case 'broadcast':
      return [...blocks('scatter'), ...whole.toReversed(), ...all('allgather').toReversed()];
    default:
      return all(kind);
  }
}

/** Over boxes: the root's box handles the whole message, the other boxes work by rails. */
function wholeAtRoot(kind: 'broadcast' | 'reduce'): readonly Step[] {
  const steps: readonly Step[] = [
    { kind, depth: 0, only: [1] },
    { kind, depth: 1 },
    { kind: kind === 'broadcast' ? 'allgather' : 'reducescatter', depth: 0, except: [1] },
  ];
  return kind === 'broadcast' ? steps : steps.toReversed();
}

/** A range of units, and the order in which it traverses the axes. */
interface Part {
  readonly from: number;
  readonly count: number;
  readonly axes: readonly number[];
  /** Whether units are shards, one per rank. */
  readonly ofShards: boolean;
}

/**
 * One part of all shards; or one part per order of the axes, each with as many blocks as the scattered axes have
 * positions.
 */
function partsOf(
  kind: CollectiveKind,
  { orders, extents, ranks }: Hierarchy,
  scattered: number,
): { readonly parts: readonly Part[]; readonly units: number } {
  if (collectiveFacts[kind].sharded) {
    return { parts: [{ from: 0, count: ranks.length, axes: orders[0], ofShards: true }], units: ranks.length };
  }
  const blocks = orders.map((order) => order.slice(0, scattered).reduce((product, axis) => product * extents[axis], 1));
  const count = blocks.reduce(leastCommonMultiple, 1);
  const parts = orders.map((axes, part) => ({ from: part * count, count, axes, ofShards: false }));
  return { parts, units: orders.length * count };
}

function levelOf(step: Step, hierarchy: Hierarchy, parts: readonly Part[], scattered: number, root: number): Level {
  const where = hierarchy.isGrid ? 'along' : (['within', 'across'] as const)[step.depth];
  const communicators = parts.flatMap((part) => linesOf(step, hierarchy, part, scattered, root));
  return { where, kind: step.kind, communicators };
}

/**
 * The lines of the axis that a part traverses at a certain depth, each with the block of the part that its ranks share
 * by then.
 */
function linesOf(
  { kind, depth, only = [], except }: Step,
  { extents, ranks, guests, isGrid }: Hierarchy,
  part: Part,
  scattered: number,
  root: number,
): readonly Communicator[] {
  const { rooted, sharded } = collectiveFacts[kind];
  const own = part.axes[depth];
  const strides = extents.map((_, axis) => extents.slice(axis + 1).reduce((product, extent) => product * extent, 1));
  const coordinate = (place: number, axis: number): number => Math.floor(place / strides[axis]) % extents[axis];
  // For a root without a position (a guest), the position of a carrier of its box.
  const rootPlace = Math.max(
    ranks.indexOf(root),
    (guests?.findIndex((some) => some.includes(root)) ?? -1) * strides[0],
  );
  const isAtRoot = (place: number, depths: readonly number[]): boolean =>
    depths.map((other) => part.axes[other]).every((axis) => coordinate(place, axis) === coordinate(rootPlace, axis));
  // In an alltoall every rank has data for every other on each axis.
  const taken = kind === 'alltoall' ? [] : part.axes.slice(0, Math.min(depth, scattered));
  const order = [...taken, own, ...part.axes.filter((axis) => axis !== own && !taken.includes(axis))];
  const communicators: Communicator[] = [];
  for (const place of ranks.keys()) {
    const takesPart = isAtRoot(place, only) && !(except !== undefined && isAtRoot(place, except));
    if (coordinate(place, own) > 0 || !takesPart) continue;
    let { from, count } = part;
    for (const axis of taken) {
      count /= extents[axis];
      from += coordinate(place, axis) * count;
    }
    const carriers = Array.from({ length: extents[own] }, (_, index) => ranks[place + index * strides[own]]);
    const members = [...carriers, ...(isGrid || own === 0 ? [] : (guests?.[coordinate(place, 0)] ?? []))];
    const units = Array.from({ length: count }, (_, index) =>
      part.ofShards ? ranks[placeOf(from + index, order, extents, strides)] : from + index,
    );
    const shares = members.map((_, index) => (index < carriers.length ? count / carriers.length : 0));
    const counts = sharded && members.length > carriers.length ? shares : undefined;
    const index = members.includes(root) ? members.indexOf(root) : coordinate(rootPlace, own);
    communicators.push({ members, root: rooted ? index : 0, units, counts });
  }
  return communicators;
}

/** The place with the given index if places are counted over some axes only, the last of them fastest. */
function placeOf(
  number: number,
  order: readonly number[],
  extents: readonly number[],
  strides: readonly number[],
): number {
  let [place, rest] = [0, number];
  for (const axis of order.toReversed()) {
    place += (rest % extents[axis]) * strides[axis];
    rest = Math.floor(rest / extents[axis]);
  }
  return place;
}

/**
 * Allgather and reducescatter over boxes with guests: the data of a box's members is divided evenly among the rails,
 * whoever owns it. This needs one more level, in which the box's own shards are exchanged within it, as they would be
 * anyway.
 */
function withGuests(
  kind: 'allgather' | 'reducescatter',
  { name, extents: [, rails], ranks }: Hierarchy,
  guests: readonly (readonly number[])[],
): Composition {
  const groups = guests.map((others, box) => [...ranks.slice(box * rails, (box + 1) * rails), ...others]);
  const unitsOf = (rank: number): number[] => Array.from({ length: rails }, (_, part) => rank * rails + part);
  // In rank order, so that the data of a rail is in as few pieces as possible.
  const ofGroup = groups.map((members) => members.toSorted((a, b) => a - b).flatMap(unitsOf));
  const ofRail = (rail: number, box: number): number[] => {
    const { length } = groups[box];
    return ofGroup[box].slice(rail * length, (rail + 1) * length);
  };
  const communicator = (members: readonly number[], shards: readonly (readonly number[])[]): Communicator => {
    const counts = shards.map(({ length }) => length);
    const areAlike = counts.every((count) => count === counts[0]);
    return { members, root: 0, units: shards.flat(), counts: areAlike ? undefined : counts };
  };
  const own = groups.map((members) => communicator(members, members.map(unitsOf)));
  const across = Array.from({ length: rails }, (_, rail) => {
    const members = groups.map((group) => group[rail]);
    return communicator(
      members,
      groups.map((_, box) => ofRail(rail, box)),
    );
  });
  const foreign = groups.map((members, box) => {
    const others = [...groups.keys()].filter((other) => other !== box);
    const shards = members.map((_, at) => (at < rails ? others.flatMap((other) => ofRail(at, other)) : []));
    return communicator(members, shards);
  });
  const levels: readonly Level[] = [
    { where: 'within', kind, communicators: own },
    { where: 'across', kind, communicators: across },
    { where: 'within', kind, communicators: foreign },
  ];
  const inTurn = kind === 'allgather' ? levels : levels.toReversed();
  return { name, aim: 'size', units: ofGroup.flat().length, levels: inTurn };
}

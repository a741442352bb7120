/**
 * What the parts of a vector do on the axes of a machine when they are reduced along them, and when. A part may be *scattered* along its first axes:
 * each place of a line then holds one block of it, as a reducescatter on the line leaves it. Along the others it is *gathered*: all of a line
 * get what the others have, and reduce it. Until something has been gathered, two on a line of two *exchange* what they have instead: each reduces
 * what comes where its own is. In the end the blocks are *spread* along the first axes again.
 */
import { leastCommonMultiple } from '../../ir/whole-numbers.ts';
import type { Axis } from './axis-paths.ts';

/** One part of the vector on one axis, from time `start` on for as many messages in a row as the axis takes. */
export interface Phase {
  readonly kind: 'scattered' | 'exchanged' | 'gathered' | 'spread';
  readonly axis: Axis;
  readonly start: number;
  readonly hops: number;
  /** Of what is scattered or spread: all that a line has, in `extent` blocks. Of what is exchanged or gathered: the block of every place. */
  readonly block: Block;
  /** Chunk of scratch where the line is gathered, place by place. */
  readonly scratch: number;
  /** Where the value is before it is gathered: in scratch, or in the data (−1) at first. */
  readonly value: number;
  readonly isLast: boolean;
}

/** A stretch of the data, which depends on where a rank is on the axes along which the part is scattered so far. */
export interface Block {
  readonly from: number;
  readonly count: number;
  readonly levels: readonly { readonly axis: Axis; readonly count: number }[];
}

/** The first chunk of a rank's block. */
export function firstChunk({ from, levels }: Block, rank: number): number {
  return levels.reduce((first, { axis, count }) => first + coordinateOf(rank, axis) * count, from);
}

export function coordinateOf(rank: number, { stride, extent }: Axis): number {
  return Math.floor(rank / stride) % extent;
}

/** Messages in a row along an axis, the shorter way round. */
function hopsAlong({ extent }: Axis): number {
  return Math.floor(extent / 2);
}

/** C has to be a multiple of this: one part for each axis, each of as many blocks as its first axes have places. */
export function chunksAlong(axes: readonly Axis[], scattered: number): number {
  const blocks = axes.map((_, part) =>
    turnedTo(part, axes)
      .slice(0, scattered)
      .reduce((product, { extent }) => product * extent, 1),
  );
  return axes.length * blocks.reduce(leastCommonMultiple, 1);
}

/** A part takes the axes from its own on, round. */
function turnedTo(part: number, axes: readonly Axis[]): readonly Axis[] {
  return [...axes.slice(part), ...axes.slice(0, part)];
}

/**
 * The phases of all parts of a vector of so many chunks.
 * @param scattered along how many axes each part is scattered, fewer than there are
 */
export function phasesAlong(axes: readonly Axis[], chunks: number, scattered: number): readonly Phase[] {
  const phases: Phase[] = [];
  const count = chunks / axes.length;
  let scratch = 0;
  for (const part of axes.keys()) {
    const ofPart = new PartPhases({ from: part * count, count, levels: [] }, scratch);
    const inOrder = turnedTo(part, axes);
    for (const axis of inOrder.slice(0, scattered)) ofPart.scatter(axis);
    for (const axis of inOrder.slice(scattered)) ofPart.combine(axis);
    ofPart.spread();
    phases.push(...ofPart.phases());
    scratch = ofPart.scratch;
  }
  return phases;
}

class PartPhases {
  /** Chunks of scratch in use, by this part and those before. */
  scratch: number;
  private readonly scattered: Phase[] = [];
  private readonly exchanged: Phase[] = [];
  private readonly gathered: Phase[] = [];
  private readonly spreads: Phase[] = [];
  private block: Block;
  private time = 0;

  constructor(block: Block, scratch: number) {
    this.block = block;
    this.scratch = scratch;
  }

  phases(): readonly Phase[] {
    const last = this.gathered.length - 1;
    const gathered = this.gathered.map((phase, i) => ({ ...phase, isLast: i === last }));
    return [...this.scattered, ...this.exchanged, ...gathered, ...this.spreads];
  }

  scatter(axis: Axis): void {
    this.scattered.push(this.next('scattered', axis));
    const { from, count, levels } = this.block;
    const each = count / axis.extent;
    if (!Number.isInteger(each)) throw new Error('C is no multiple of the blocks of all parts');
    this.block = { from, count: each, levels: [...levels, { axis, count: each }] };
  }

  combine(axis: Axis): void {
    if (axis.extent === 2 && this.gathered.length === 0) this.exchanged.push(this.next('exchanged', axis));
    else this.gather(axis);
  }

  /** Backwards what was scattered. */
  spread(): void {
    for (const { axis, block } of this.scattered.toReversed()) {
      this.spreads.push({ ...this.next('spread', axis), block });
    }
  }

  private gather(axis: Axis): void {
    const value = this.gathered.at(-1)?.scratch ?? -1;
    this.gathered.push({ ...this.next('gathered', axis), scratch: this.scratch, value });
    this.scratch += axis.extent * this.block.count;
  }

  private next(kind: Phase['kind'], axis: Axis): Phase {
    const [start, hops] = [this.time, hopsAlong(axis)];
    this.time += hops;
    return { kind, axis, start, hops, block: this.block, scratch: -1, value: -1, isLast: false };
  }
}

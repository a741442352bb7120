/**
 * Reductions and their spreading on a grid, along one axis after the other. On the first axis some places of a line, or all, get a block each of what the line has,
 * reduced; on the next axis the lines of these places share their blocks in the same way: where every place gets one, a reducescatter. The same backwards is an
 * allgather. Blocks that lie one after the other travel as one message, so that a rank has about as many messages as its axes have places together.
 *
 * A block comes to the place it belongs to from both sides at once, a message per step and link, the farthest first; round an axis that wraps the shorter way.
 */
import type { Collective } from '../../ir/collective.ts';
import type { GridAxis } from '../../ir/grid-routes.ts';
import { type Schedule, StepsBuilder, scheduleBuffers } from '../../ir/schedule.ts';

/** An axis, and how many of its places get a block of their own: evenly spaced ones. */
export interface Level {
  readonly axis: GridAxis;
  readonly owners: number;
}

/** A stretch of the data, and the order in which it takes the axes: of a multiple of as many chunks as its levels have owners, multiplied. */
export interface Part {
  readonly from: number;
  readonly count: number;
  readonly levels: readonly Level[];
}

/** What a grid does with blocks: gives them to their owners, gives them to all, or one after the other. */
export type Doing = 'scatter' | 'spread' | 'both';

/** One part on one axis, from step `start` on. */
interface Phase {
  readonly kind: 'reduce' | 'copy';
  readonly blocks: Blocks;
  readonly start: number;
  /** The first chunk of the part, and the blocks of the axes before. */
  readonly from: number;
  readonly before: readonly Blocks[];
}

/** The blocks of a line: `count` chunks each, one for each owner. */
interface Blocks {
  readonly axis: GridAxis;
  readonly count: number;
  /** By place on the axis: which block it owns, or −1. */
  readonly ofPlace: Int32Array;
  /** Messages in a row between an owner and the farthest place before it on the axis, and after it, that it meets on that side. */
  readonly hopsBefore: number;
  readonly hopsAfter: number;
}

const data = scheduleBuffers.indexOf('data');

/**
 * @param collective a reducescatter (`scatter`), an allgather (`spread`) or an allreduce (`both`)
 * @param parts stretches of its data; but for an allreduce one, with every place an owner
 */
export function axisByAxis(collective: Collective, parts: readonly Part[], doing: Doing): Schedule {
  const phases = parts.flatMap((part) => phasesOf(part, doing));
  const times = phases.reduce((most, phase) => Math.max(most, phase.start + hopsOf(phase.blocks)), 0);
  const builder = new StepsBuilder();
  for (let time = 0; time < times; time++) {
    for (const phase of phases) {
      const hop = time - phase.start;
      if (hop >= 0 && hop < hopsOf(phase.blocks)) addHop(builder, collective.ranks, phase, hop);
    }
    builder.endStep();
  }
  const commutative = doing !== 'spread';
  // In step, since chips that are silent while they reduce would else keep each other waiting.
  return { name: 'grids', collective, scratch: 0, commutative, ring: false, inStep: true, steps: builder.build() };
}

function phasesOf({ from, count, levels }: Part, doing: Doing): readonly Phase[] {
  const phases: Phase[] = [];
  const before: Blocks[] = [];
  let [start, rest] = [0, count];
  for (const { axis, owners } of levels) {
    rest /= owners;
    const blocks = blocksOn(axis, owners, rest);
    phases.push({ kind: 'reduce', blocks, start, from, before: [...before] });
    before.push(blocks);
    start += hopsOf(blocks);
  }
  if (doing === 'scatter') return phases;
  const end = doing === 'both' ? 2 * start : start;
  const spread = phases.map(
    (phase): Phase => ({ ...phase, kind: 'copy', start: end - phase.start - hopsOf(phase.blocks) }),
  );
  return doing === 'both' ? [...phases, ...spread] : spread;
}

function blocksOn(axis: GridAxis, owners: number, count: number): Blocks {
  const { extent, wraps } = axis;
  const ofPlace = new Int32Array(extent).fill(-1);
  const places = Array.from({ length: owners }, (_, block) => Math.floor(((2 * block + 1) * extent) / (2 * owners)));
  for (const [block, place] of places.entries()) ofPlace[place] = block;
  const [hopsBefore, hopsAfter] = wraps
    ? [Math.floor(extent / 2), Math.ceil(extent / 2) - 1]
    : [places[owners - 1], extent - 1 - places[0]];
  return { axis, count, ofPlace, hopsBefore, hopsAfter };
}

/** Steps that the blocks of a line take to come together or to be spread. */
function hopsOf({ hopsBefore, hopsAfter }: Blocks): number {
  return Math.max(hopsBefore, hopsAfter);
}

/** What every rank sends up and down the axis in one step of a phase. */
function addHop(builder: StepsBuilder, ranks: number, phase: Phase, hop: number): void {
  const { kind, blocks } = phase;
  const {
    axis: { extent, stride, wraps },
    count,
    ofPlace,
  } = blocks;
  const hops = hopsOf(blocks);
  // How far the rank is from the place that owns a block: what is reduced comes nearer, what is spread leaves it.
  const away = kind === 'reduce' ? hops - hop : -hop;
  // What is reduced goes up from the places before an owner, what is spread to those after it.
  const [mostUp, mostDown] =
    kind === 'reduce' ? [blocks.hopsBefore, blocks.hopsAfter] : [blocks.hopsAfter, blocks.hopsBefore];
  const between = kind === 'reduce' ? away : hop + 1;
  const [goesUp, goesDown] = [between <= mostUp, between <= mostDown];
  const isOnAxis = (place: number): boolean => wraps || (place >= 0 && place < extent);
  for (let rank = 0; rank < ranks; rank++) {
    const first = firstChunk(phase, rank);
    if (first < 0) continue;
    const place = placeOf(rank, blocks);
    const send = (owner: number, to: number): void => {
      if (!isOnAxis(owner) || !isOnAxis(to)) return;
      const block = ofPlace[(owner + extent) % extent];
      if (block < 0) return;
      const offset = first + block * count;
      const destination = rank + (((to + extent) % extent) - place) * stride;
      const message = { kind, source: rank, destination, channel: 0, order: 'held-first', origin: undefined } as const;
      builder.startTransfer(message);
      builder.addPiece(data, offset, data, offset, count);
    };
    if (goesUp) send(place + away, place + 1);
    if (goesDown) send(place - away, place - 1);
  }
}

/** The first chunk of what a rank's line shares; −1 where the line has nothing. */
function firstChunk({ from, before }: Phase, rank: number): number {
  let first = from;
  for (const blocks of before) {
    const block = blocks.ofPlace[placeOf(rank, blocks)];
    if (block < 0) return -1;
    first += block * blocks.count;
  }
  return first;
}

function placeOf(rank: number, { axis: { stride, extent } }: Blocks): number {
  return Math.floor(rank / stride) % extent;
}

/**
 * Reductions and their spreading on a grid, along one axis after the other. On the first axis every place of a line gets a block of what the line has,
 * reduced; on the next axis the line shares that block in the same way, until each rank has one shard: a reducescatter. The same backwards is an
 * allgather. Blocks that lie one after the other travel as one message, so that a rank has about as many messages as its axes have places together.
 *
 * A block comes to the place it belongs to from both sides at once, a message per step and link, the farthest first; round an axis that wraps the shorter way.
 */
import type { Collective } from '../../ir/collective.ts';
import type { GridAxis } from '../../ir/grid-routes.ts';
import { type Schedule, StepsBuilder, scheduleBuffers } from '../../ir/schedule.ts';

/** A stretch of the data, and the order in which it takes the axes. */
export interface Part {
  readonly from: number;
  readonly count: number;
  readonly axes: readonly GridAxis[];
}

/** What a grid does with its shards: gives them to their ranks, gives them to all, or one after the other. */
export type Doing = 'scatter' | 'spread' | 'both';

/** One part on one axis, from step `start` on. */
interface Phase {
  readonly kind: 'reduce' | 'copy';
  readonly axis: GridAxis;
  readonly start: number;
  readonly hops: number;
  /** The first chunk of the part, and where a rank's block lies in it: by its coordinates on the axes before. */
  readonly from: number;
  readonly before: readonly { readonly axis: GridAxis; readonly count: number }[];
  /** Chunks of the block of each place on the axis. */
  readonly count: number;
}

const data = scheduleBuffers.indexOf('data');

/**
 * @param collective a reducescatter (`scatter`), an allgather (`spread`) or an allreduce (`both`)
 * @param parts stretches of its data, each of a multiple of N chunks
 */
export function axisByAxis(collective: Collective, parts: readonly Part[], doing: Doing): Schedule {
  const phases = parts.flatMap((part) => phasesOf(part, doing));
  const times = phases.reduce((most, { start, hops }) => Math.max(most, start + hops), 0);
  const builder = new StepsBuilder();
  for (let time = 0; time < times; time++) {
    for (const phase of phases) {
      if (phase.start <= time && time < phase.start + phase.hops) addHop(builder, collective.ranks, phase, time);
    }
    builder.endStep();
  }
  const commutative = doing !== 'spread';
  // In step, since chips that are silent while they reduce would else keep each other waiting.
  return { name: 'grids', collective, scratch: 0, commutative, ring: false, inStep: true, steps: builder.build() };
}

function phasesOf({ from, count, axes }: Part, doing: Doing): readonly Phase[] {
  const phases: Phase[] = [];
  const before: { readonly axis: GridAxis; readonly count: number }[] = [];
  let [start, block] = [0, count];
  for (const axis of axes) {
    const hops = hopsAlong(axis);
    block /= axis.extent;
    phases.push({ kind: 'reduce', axis, start, hops, from, before: [...before], count: block });
    before.push({ axis, count: block });
    start += hops;
  }
  if (doing === 'scatter') return phases;
  const end = doing === 'both' ? 2 * start : start;
  const spread = phases.map((phase): Phase => ({ ...phase, kind: 'copy', start: end - phase.start - phase.hops }));
  return doing === 'both' ? [...phases, ...spread] : spread;
}

/** Messages in a row along an axis, where it wraps the shorter way round. */
function hopsAlong({ extent, wraps }: GridAxis): number {
  return wraps ? Math.floor(extent / 2) : extent - 1;
}

/** What every rank sends up and down the axis at a time. */
function addHop(builder: StepsBuilder, ranks: number, phase: Phase, time: number): void {
  const { kind, axis, hops } = phase;
  const { extent, stride, wraps } = axis;
  const hop = time - phase.start;
  // How far the rank is from the place that a block belongs to: what is reduced comes nearer, what is spread leaves it.
  const away = kind === 'reduce' ? hops - hop : -hop;
  const hopsDown = wraps ? extent - 1 - hops : hops;
  const goesDown = kind === 'reduce' ? away <= hopsDown : hop < hopsDown;
  const isOnAxis = (place: number): boolean => wraps || (place >= 0 && place < extent);
  for (let rank = 0; rank < ranks; rank++) {
    const place = coordinateOf(rank, axis);
    const send = (blockOf: number, to: number): void => {
      if (!isOnAxis(blockOf) || !isOnAxis(to)) return;
      const offset = firstChunk(phase, rank) + ((blockOf + extent) % extent) * phase.count;
      const destination = rank + (((to + extent) % extent) - place) * stride;
      const message = { kind, source: rank, destination, channel: 0, order: 'held-first', origin: undefined } as const;
      builder.startTransfer(message);
      builder.addPiece(data, offset, data, offset, phase.count);
    };
    send(place + away, place + 1);
    if (goesDown) send(place - away, place - 1);
  }
}

/** Of a rank's block. */
function firstChunk({ from, before }: Phase, rank: number): number {
  return before.reduce((first, { axis, count }) => first + coordinateOf(rank, axis) * count, from);
}

function coordinateOf(rank: number, { stride, extent }: GridAxis): number {
  return Math.floor(rank / stride) % extent;
}

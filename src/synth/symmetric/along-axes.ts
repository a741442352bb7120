/**
 * The allreduce for small messages on rings, tori and hypercubes: along one axis after the other, every rank gets what the
 * others on its line hold and reduces that. It has as many messages one after the other as the machine is wide, half of
 * what a reducescatter and an allgather need, but each is a whole part of the vector; there is one part for every axis,
 * and each takes the axes in another order, so that all are busy.
 *
 * Each line is reduced in the order of its coordinates, by every rank alike: all get the same bits.
 */
import type { Collective } from '../../ir/collective.ts';
import { type Piece, type Schedule, StepsBuilder, type Transfer } from '../../ir/schedule.ts';
import type { Axis } from './axis-paths.ts';
import type { SymmetricMachine } from './machine.ts';

/** One part of the vector on one axis: its line is gathered from time `start` on, in slots of scratch from `slot` on. */
interface Gathering {
  readonly part: number;
  readonly axis: Axis;
  readonly start: number;
  readonly hops: number;
  readonly slot: number;
  /** Where the part's value is before: in scratch, or in the data (−1) on its first axis. */
  readonly valueSlot: number;
  readonly isLast: boolean;
}

/**
 * @param collective an allreduce whose C is a multiple of the number of axes
 * @throws Error if it is not
 */
export function reducedAlongAxes(
  collective: Collective,
  { group, generators }: SymmetricMachine,
  axes: readonly Axis[],
): Schedule {
  const size = collective.chunks / axes.length;
  if (!Number.isInteger(size)) throw new Error('C is no multiple of the number of axes');
  const gatherings = axes.flatMap((_, part) => gatheringsOf(part, axes));
  const builder = new StepsBuilder();
  const times = axes.reduce((sum, { extent }) => sum + Math.floor(extent / 2), 0);
  const onwards = generators.map(({ offset }) => group.translation(offset));
  for (let time = 0; time < times; time++) {
    const active = gatherings.filter(({ start, hops }) => start <= time && time < start + hops);
    const starting = active.filter(({ start }) => start === time);
    const ending = active.filter(({ start, hops }) => time === start + hops - 1);
    for (let rank = 0; rank < group.order; rank++) {
      for (const gathering of starting) builder.add(local(rank, 'copy', [ownValue(rank, gathering, size)]));
    }
    builder.endStep();
    for (let rank = 0; rank < group.order; rank++) {
      for (const [generator, pieces] of messagesAt(rank, time, active, size)) {
        builder.add({ ...local(rank, 'copy', pieces), destination: onwards[generator](rank) });
      }
    }
    builder.endStep();
    for (let rank = 0; rank < group.order; rank++) {
      for (const gathering of ending) {
        for (const piece of lineReduction(gathering, size)) builder.add(local(rank, 'reduce', [piece]));
      }
    }
    builder.endStep();
  }
  const results = gatherings.filter(({ isLast }) => isLast);
  for (let rank = 0; rank < group.order; rank++) {
    for (const { part, slot } of results) {
      builder.add(local(rank, 'copy', [{ ...fromScratch(slot, size), to: 'data', toOffset: part * size }]));
    }
  }
  const scratch = gatherings.reduce((sum, { axis }) => sum + axis.extent * size, 0);
  return { name: 'symmetric', collective, scratch, commutative: true, ring: false, steps: builder.build() };
}

/** A part takes the axes from its own on, round. */
function gatheringsOf(part: number, axes: readonly Axis[]): readonly Gathering[] {
  const gatherings: Gathering[] = [];
  let slot = part * axes.reduce((sum, { extent }) => sum + extent, 0);
  let start = 0;
  let valueSlot = -1;
  for (const axis of [...axes.slice(part), ...axes.slice(0, part)]) {
    const hops = Math.floor(axis.extent / 2);
    const isLast = gatherings.length === axes.length - 1;
    gatherings.push({ part, axis, start, hops, slot, valueSlot, isLast });
    valueSlot = slot;
    slot += axis.extent;
    start += hops;
  }
  return gatherings;
}

function coordinateOf(rank: number, { stride, extent }: Axis): number {
  return Math.floor(rank / stride) % extent;
}

function fromScratch(slot: number, size: number): Pick<Piece, 'from' | 'fromOffset' | 'count'> {
  return { from: 'scratch', fromOffset: slot * size, count: size };
}

function local(rank: number, kind: Transfer['kind'], pieces: readonly Piece[]): Transfer {
  return { kind, source: rank, destination: rank, channel: 0, order: 'held-first', pieces, origin: undefined };
}

/** What a rank brings to its line, put in its place there. */
function ownValue(rank: number, gathering: Gathering, size: number): Piece {
  return {
    ...startingValue(gathering, size),
    to: 'scratch',
    toOffset: (gathering.slot + coordinateOf(rank, gathering.axis)) * size,
  };
}

function startingValue({ part, valueSlot }: Gathering, size: number): Pick<Piece, 'from' | 'fromOffset' | 'count'> {
  return valueSlot < 0 ? { from: 'data', fromOffset: part * size, count: size } : fromScratch(valueSlot, size);
}

/** What a rank sends at a time, by generator: its own value at first, then what came from behind one step before. */
function messagesAt(
  rank: number,
  time: number,
  active: readonly Gathering[],
  size: number,
): ReadonlyMap<number, readonly Piece[]> {
  const messages = new Map<number, Piece[]>();
  for (const gathering of active) {
    const { axis, start, slot } = gathering;
    const hop = time - start;
    const send = (generator: number, coordinate: number): void => {
      const place = slot + ((coordinate + axis.extent) % axis.extent);
      const value = hop === 0 ? startingValue(gathering, size) : fromScratch(place, size);
      const piece: Piece = { ...value, to: 'scratch', toOffset: place * size };
      messages.set(generator, [...(messages.get(generator) ?? []), piece]);
    };
    const own = coordinateOf(rank, axis);
    send(axis.up, own - hop);
    // Of an even number of places, the one opposite is reached from below alone.
    if (hop < axis.extent - 1 - gathering.hops) send(axis.down, own + hop);
  }
  return messages;
}

/** The values of a line, added to the first in the order of their coordinates. */
function lineReduction({ axis, slot }: Gathering, size: number): readonly Piece[] {
  return Array.from({ length: axis.extent - 1 }, (_, i) => ({
    ...fromScratch(slot + i + 1, size),
    to: 'scratch',
    toOffset: slot * size,
  }));
}

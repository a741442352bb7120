/**
 * The allreduce for short messages on rings, tori and hypercubes: along one axis after the other, every rank gets what the
 * others on its line hold and reduces that. It has as many messages one after the other as the machine is wide, half of
 * what a reducescatter and an allgather need, but each is a whole part of the vector; there is one part for every axis,
 * and each takes the axes in another order, so that all are busy. For longer messages parts are scattered along some axes before, and spread
 * after, so that what is gathered along the others is only a block of each.
 *
 * Each line is reduced in the order of its coordinates, by every rank alike, or by one rank for all: all get the same bits.
 */
import type { Collective } from '../../ir/collective.ts';
import { type Piece, type Schedule, StepsBuilder, type Transfer } from '../../ir/schedule.ts';
import type { Axis } from './axis-paths.ts';
import { type Block, coordinateOf, firstChunk, type Phase, phasesAlong } from './axis-phases.ts';

/**
 * @param collective an allreduce whose C is a multiple of what `chunksAlong` says
 * @param onwards where each of the generators that the axes name leads from a rank
 * @param scattered along how many axes each part is scattered, fewer than there are
 * @throws Error if C is no such multiple
 */
export function reducedAlongAxes(
  collective: Collective,
  onwards: readonly ((rank: number) => number)[],
  axes: readonly Axis[],
  scattered: number,
): Schedule {
  const phases = phasesAlong(axes, collective.chunks, scattered);
  const builder = new StepsBuilder();
  const times = Math.max(...phases.map(({ start, hops }) => start + hops));
  const endStep = (transfersOf: (rank: number) => Iterable<Transfer>): void => {
    for (let rank = 0; rank < collective.ranks; rank++) for (const transfer of transfersOf(rank)) builder.add(transfer);
    builder.endStep();
  };
  for (let time = 0; time < times; time++) {
    const active = phases.filter(({ start, hops }) => start <= time && time < start + hops);
    const gathered = active.filter(({ kind }) => kind === 'gathered');
    const starting = gathered.filter(({ start }) => start === time);
    const ending = gathered.filter(({ start, hops }) => time === start + hops - 1);
    endStep((rank) => starting.map((phase) => local(rank, 'copy', [ownValue(rank, phase)])));
    endStep((rank) => messagesAt(rank, time, active, (generator) => onwards[generator](rank)));
    endStep((rank) => ending.flatMap((phase) => lineReduction(rank, phase)));
    const results = ending.filter(({ isLast }) => isLast);
    endStep((rank) => results.map((phase) => local(rank, 'copy', [result(rank, phase)])));
  }
  const scratch = phases.reduce(
    (sum, { kind, axis, block }) => sum + (kind === 'gathered' ? axis.extent * block.count : 0),
    0,
  );
  return { name: 'symmetric', collective, scratch, commutative: true, ring: false, steps: builder.build() };
}

function local(rank: number, kind: Transfer['kind'], pieces: readonly Piece[]): Transfer {
  return { kind, source: rank, destination: rank, channel: 0, order: 'held-first', pieces, origin: undefined };
}

function fromScratch(fromOffset: number, { count }: Block): Pick<Piece, 'from' | 'fromOffset' | 'count'> {
  return { from: 'scratch', fromOffset, count };
}

/** Where a place of the line is gathered. */
function placeOf({ scratch, axis: { extent }, block }: Phase, coordinate: number): number {
  return scratch + ((coordinate + extent) % extent) * block.count;
}

function startingValue(rank: number, { value, block }: Phase): Pick<Piece, 'from' | 'fromOffset' | 'count'> {
  if (value >= 0) return fromScratch(value, block);
  return { from: 'data', fromOffset: firstChunk(block, rank), count: block.count };
}

/** What a rank brings to its line, put in its place there. */
function ownValue(rank: number, phase: Phase): Piece {
  return { ...startingValue(rank, phase), to: 'scratch', toOffset: placeOf(phase, coordinateOf(rank, phase.axis)) };
}

/** The values of a line, added to the first in the order of their coordinates. */
function lineReduction(rank: number, phase: Phase): readonly Transfer[] {
  const others = Array.from({ length: phase.axis.extent - 1 }, (_, i) => placeOf(phase, i + 1));
  return others.map((place) =>
    local(rank, 'reduce', [{ ...fromScratch(place, phase.block), to: 'scratch', toOffset: phase.scratch }]),
  );
}

function result(rank: number, { scratch, block }: Phase): Piece {
  return { ...fromScratch(scratch, block), to: 'data', toOffset: firstChunk(block, rank) };
}

/** What a rank sends at a time: a message for each generator, and another one for what is reduced where it arrives. */
function messagesAt(
  rank: number,
  time: number,
  active: readonly Phase[],
  destinationOf: (generator: number) => number,
): readonly Transfer[] {
  const messages: Transfer[] = [];
  for (const kind of ['copy', 'reduce'] as const) {
    const pieces = new Map<number, Piece[]>();
    for (const phase of active) {
      const isReduced = phase.kind === 'scattered' || phase.kind === 'exchanged';
      if (isReduced !== (kind === 'reduce')) continue;
      for (const [generator, piece] of piecesOf(rank, time - phase.start, phase)) {
        pieces.set(generator, [...(pieces.get(generator) ?? []), piece]);
      }
    }
    for (const [generator, ofMessage] of pieces) {
      messages.push({ ...local(rank, kind, ofMessage), destination: destinationOf(generator) });
    }
  }
  return messages;
}

/** One piece up and one down the axis; of an even number of places, the one opposite is reached from below alone. */
function piecesOf(rank: number, hop: number, phase: Phase): readonly (readonly [number, Piece])[] {
  const { axis, hops, kind } = phase;
  const own = coordinateOf(rank, axis);
  const hopsDown = axis.extent - 1 - hops;
  if (kind === 'gathered') {
    const up: [number, Piece] = [axis.up, gatheredPiece(rank, own - hop, hop, phase)];
    return hop < hopsDown ? [up, [axis.down, gatheredPiece(rank, own + hop, hop, phase)]] : [up];
  }
  if (kind === 'exchanged') {
    const [offset, { count }] = [firstChunk(phase.block, rank), phase.block];
    return [[axis.up, { from: 'data', fromOffset: offset, to: 'data', toOffset: offset, count }]];
  }
  // How far the rank is from the one that a block belongs to: what is scattered comes nearer, what is spread leaves it.
  const away = kind === 'scattered' ? hops - hop : -hop;
  const up: [number, Piece] = [axis.up, blockAt(rank, own + away, phase)];
  const isDown = kind === 'scattered' ? away <= hopsDown : hop < hopsDown;
  return isDown ? [up, [axis.down, blockAt(rank, own - away, phase)]] : [up];
}

/** Its own value at first, then what came from behind one step before. */
function gatheredPiece(rank: number, coordinate: number, hop: number, phase: Phase): Piece {
  const place = placeOf(phase, coordinate);
  const value = hop === 0 ? startingValue(rank, phase) : fromScratch(place, phase.block);
  return { ...value, to: 'scratch', toOffset: place };
}

/** The block of a place on the line, where it lies in the data of all. */
function blockAt(rank: number, coordinate: number, { block, axis: { extent } }: Phase): Piece {
  const count = block.count / extent;
  const offset = firstChunk(block, rank) + ((coordinate + extent) % extent) * count;
  return { from: 'data', fromOffset: offset, to: 'data', toOffset: offset, count };
}

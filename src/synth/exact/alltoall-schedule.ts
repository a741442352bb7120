/** The moves of an alltoall as a schedule: on their way chunks lie in scratch. */

import type { Collective } from '../../ir/collective.ts';
import { type Piece, type Schedule, StepsBuilder } from '../../ir/schedule.ts';
import { joinPieces } from '../../passes/index.ts';
import { TransitSlots } from '../list/routed/transit-slots.ts';
import type { Moves } from '../list/spread.ts';

/**
 * The schedule of an alltoall; item (i · N + j) · c + k of its moves is `width` chunks of what rank i has for rank j.
 *
 * The first hop reads the input by that name: what arrives for good may have overwritten the same place of the data buffer.
 */
export function alltoallSchedule(moves: Moves, name: string, collective: Collective, width: number): Schedule {
  const { ranks } = collective;
  const perPair = collective.chunks / width;
  const slots = Array.from({ length: ranks }, () => new TransitSlots());
  const place = new Map<number, number>();
  const builder = new StepsBuilder();
  const pieceOf = (row: number): Piece => {
    const item = moves.item.at(row);
    const [source, target] = [Math.floor(item / (perPair * ranks)), Math.floor(item / perPair) % ranks];
    const to = moves.to.at(row);
    const waiting = place.get(item);
    const from = waiting ?? target * perPair + (item % perPair);
    const isLast = to === target;
    const arrival = isLast ? source * perPair + (item % perPair) : slots[to].take();
    place.set(item, arrival);
    return {
      from: waiting === undefined ? 'input' : 'scratch',
      fromOffset: from * width,
      to: isLast ? 'data' : 'scratch',
      toOffset: arrival * width,
      count: width,
    };
  };
  for (let step = 0; step < moves.steps; step++) {
    const end = step + 1 < moves.steps ? moves.stepStart.at(step + 1) : moves.length;
    for (let row = moves.stepStart.at(step); row < end; row++) {
      const waiting = place.get(moves.item.at(row));
      if (waiting !== undefined) slots[moves.from.at(row)].release(waiting, 1);
    }
    for (let row = moves.stepStart.at(step); row < end; ) {
      const [source, destination] = [moves.from.at(row), moves.to.at(row)];
      const pieces: Piece[] = [];
      for (; row < end && moves.from.at(row) === source && moves.to.at(row) === destination; row++) {
        pieces.push(pieceOf(row));
      }
      builder.add({
        kind: 'copy',
        source,
        destination,
        channel: 0,
        order: 'held-first',
        pieces: joinPieces(pieces),
        origin: undefined,
      });
    }
    builder.endStep(moves.rounds.at(step) * width);
  }
  const scratch = width * slots.reduce((most, { size }) => Math.max(most, size), 0);
  return { name, collective, scratch, commutative: false, ring: false, steps: builder.build() };
}

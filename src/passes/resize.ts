/** A schedule whose chunks become whole numbers of smaller ones. */
import { type Piece, type Schedule, StepsBuilder } from '../ir/schedule.ts';
import { firstSlots, type SizeClasses } from './size-classes.ts';

/**
 * Every chunk of class c becomes `counts[c]` chunks; where that is 0 it is gone, and with it what moves nothing else. No message
 * becomes two, since neighbours stay neighbours.
 *
 * @param classes of this schedule
 * @param counts by class, 0 or more; every shard must add up to the same number, which becomes C
 * @throws Error for shards that do not
 */
export function resize(schedule: Schedule, classes: SizeClasses, counts: Int32Array): Schedule {
  const { steps, collective } = schedule;
  const totals = classes.shards.map((shard) => shard.reduce((sum, of) => sum + counts[of], 0));
  const [chunks] = totals;
  if (totals.some((total) => total !== chunks)) throw new Error(`shards of ${totals.join(', ')} chunks`);
  const places = placesOf(classes, counts);
  const first = Array.from({ length: collective.ranks }, (_, rank) => firstSlots(collective, rank, classes.slots));
  const resized = (piece: Piece, source: number, destination: number): Piece => {
    const from = first[source][piece.from];
    const to = first[destination][piece.to];
    const start = places[from + piece.fromOffset];
    return {
      ...piece,
      fromOffset: start - places[from],
      toOffset: places[to + piece.toOffset] - places[to],
      count: places[from + piece.fromOffset + piece.count] - start,
    };
  };
  const builder = new StepsBuilder();
  for (let step = 0; step < steps.stepCount; step++) {
    for (const transfer of steps.inStep(step)) {
      const pieces = transfer.pieces
        .map((piece) => resized(piece, transfer.source, transfer.destination))
        .filter(({ count }) => count > 0);
      if (pieces.length > 0) builder.add({ ...transfer, pieces });
    }
    builder.endStep();
  }
  return {
    ...schedule,
    collective: { ...collective, chunks },
    scratch: places[places.length - 1] - places[classes.slots],
    steps: builder.build(),
  };
}

/** Where each slot begins when all have their new sizes, and behind the last one where that ends. */
function placesOf({ of }: SizeClasses, counts: Int32Array): Int32Array {
  const places = new Int32Array(of.length + 1);
  for (let slot = 0; slot < of.length; slot++) places[slot + 1] = places[slot] + counts[of[slot]];
  return places;
}

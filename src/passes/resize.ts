/** Replaces every chunk of a schedule by a number of smaller ones that depends on its size class. */
import { type Piece, type Schedule, StepsBuilder } from '../ir/schedule.ts';
import { firstSlots, type SizeClasses } from './size-classes.ts';

/**
 * Replaces every chunk of class c by `counts[c]` chunks. Chunks with a count of 0 disappear, and so do transfers that move nothing else. No message
 * is split, since neighbouring chunks stay neighbours.
 *
 * @param classes the size classes of this schedule
 * @param counts by class, 0 or more; the counts of every shard must add up to the same number, which becomes C
 * @throws Error if they do not
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

/** The first new slot of each old slot, and the end behind the last one. */
function placesOf({ of }: SizeClasses, counts: Int32Array): Int32Array {
  const places = new Int32Array(of.length + 1);
  for (let slot = 0; slot < of.length; slot++) places[slot + 1] = places[slot] + counts[of[slot]];
  return places;
}

/** Writes out a schedule that runs for several slices of the message, one after the other. */
import { type Piece, type Schedule, StepsBuilder } from '../ir/schedule.ts';
import { cutPiece } from './pieces.ts';

/**
 * Repeats the steps once for every slice: slice b of shard i consists of its chunks b·C … b·C + C − 1, of `slices`·C. This is what bulks do with
 * equal slices, but within one plan, whose slices can have different sizes. Each slice has scratch of its own.
 *
 * @param slices number of slices, ≥ 1
 */
export function unroll(schedule: Schedule, slices: number): Schedule {
  if (slices === 1) return schedule;
  const { steps, collective, scratch } = schedule;
  const { chunks } = collective;
  const place = (buffer: Piece['from'], offset: number, slice: number): number =>
    buffer === 'scratch'
      ? slice * scratch + offset
      : Math.floor(offset / chunks) * chunks * slices + slice * chunks + (offset % chunks);
  const builder = new StepsBuilder();
  for (let slice = 0; slice < slices; slice++) {
    for (let step = 0; step < steps.stepCount; step++) {
      for (const transfer of steps.inStep(step)) {
        const pieces = transfer.pieces.flatMap((piece) => withinShards(piece, chunks));
        builder.add({
          ...transfer,
          pieces: pieces.map((piece) => ({
            ...piece,
            fromOffset: place(piece.from, piece.fromOffset, slice),
            toOffset: place(piece.to, piece.toOffset, slice),
          })),
        });
      }
      builder.endStep(steps.rounds[step]);
    }
  }
  return {
    ...schedule,
    collective: { ...collective, chunks: chunks * slices },
    scratch: scratch * slices,
    steps: builder.build(),
  };
}

/** Cuts a piece wherever its source or destination passes from one shard to the next, since the slices of different shards are not contiguous. */
function withinShards(piece: Piece, chunks: number): Piece[] {
  const parts: Piece[] = [];
  for (let start = 0; start < piece.count; ) {
    const left = (buffer: Piece['from'], offset: number): number =>
      buffer === 'scratch' ? piece.count : chunks - ((offset + start) % chunks);
    const count = Math.min(piece.count - start, left(piece.from, piece.fromOffset), left(piece.to, piece.toOffset));
    parts.push(cutPiece(piece, start, count));
    start += count;
  }
  return parts;
}

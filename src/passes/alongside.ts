/** Two schedules of one collective at the same time, each for half of every shard: ways that one leaves idle the other may use. */
import { CccError } from '../ir/diagnostic.ts';
import { type Piece, type Schedule, type ScheduleBuffer, StepsBuilder } from '../ir/schedule.ts';
import { joinPieces } from './pieces.ts';

/**
 * Runs both side by side. The first half of each shard's chunks goes as `first` says, the second as `second` does, on channels of its own.
 *
 * All buffers but scratch hold whole shards, so that halves of them are found in the same way everywhere.
 *
 * @param first for the same collective and chunks as `second`; neither custom nor a barrier
 * @throws CccError 'schedule' where the two do not fit together
 */
export function alongside(first: Schedule, second: Schedule): Schedule {
  const { collective } = first;
  const { chunks } = collective;
  if (second.collective.kind !== collective.kind || second.collective.chunks !== chunks) {
    throw new CccError('schedule', `${first.name} and ${second.name} are not for halves of one message`);
  }
  const halves = [
    { schedule: first, half: 0, scratch: 0, channel: 0 },
    {
      schedule: second,
      half: 1,
      scratch: first.scratch,
      channel: 1 + first.steps.channel.reduce((a, b) => Math.max(a, b), 0),
    },
  ];
  const builder = new StepsBuilder();
  for (let step = 0; step < Math.max(first.steps.stepCount, second.steps.stepCount); step++) {
    for (const { schedule, half, scratch, channel } of halves) {
      if (step >= schedule.steps.stepCount) continue;
      const place = (buffer: ScheduleBuffer, offset: number): number => {
        if (buffer === 'scratch') return offset + scratch;
        return Math.floor(offset / chunks) * 2 * chunks + half * chunks + (offset % chunks);
      };
      for (const transfer of schedule.steps.inStep(step)) {
        const pieces = transfer.pieces.flatMap((piece) => placed(piece, chunks, place));
        builder.add({ ...transfer, channel: transfer.channel + channel, pieces: joinPieces(pieces) });
      }
    }
    builder.endStep();
  }
  return {
    ...first,
    collective: { ...collective, chunks: 2 * chunks },
    scratch: first.scratch + second.scratch,
    commutative: first.commutative || second.commutative,
    ring: false,
    steps: builder.build(),
  };
}

/** A piece where its half of each shard is, cut where shards end. */
function placed(piece: Piece, chunks: number, place: (buffer: ScheduleBuffer, offset: number) => number): Piece[] {
  const parts: Piece[] = [];
  for (let done = 0; done < piece.count; ) {
    const from = piece.fromOffset + done;
    const to = piece.toOffset + done;
    let count = piece.count - done;
    if (piece.from !== 'scratch') count = Math.min(count, chunks - (from % chunks));
    if (piece.to !== 'scratch') count = Math.min(count, chunks - (to % chunks));
    parts.push({ ...piece, fromOffset: place(piece.from, from), toOffset: place(piece.to, to), count });
    done += count;
  }
  return parts;
}

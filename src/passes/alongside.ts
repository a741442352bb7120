/** Runs two schedules of one collective at the same time, each for its share of every shard, so that one may use links that the other leaves idle. */
import { CccError } from '../ir/diagnostic.ts';
import { type Piece, type Schedule, type ScheduleBuffer, StepsBuilder } from '../ir/schedule.ts';
import { joinPieces } from './pieces.ts';

/**
 * Runs both schedules side by side, on separate channels. The first chunks of each shard, as many as `first` has per shard, follow `first`, and the
 * remaining ones follow `second`. Refining the schedules before gives any ratio of the shares. All buffers but scratch hold whole shards, so that the
 * same arithmetic finds a share in each of them.
 *
 * @param first a schedule for the same collective as `second`, which is neither custom nor a barrier
 * @throws CccError 'schedule' if the two do not fit together
 */
export function alongside(first: Schedule, second: Schedule): Schedule {
  const { collective } = first;
  const { kind, ranks, root } = collective;
  if (second.collective.kind !== kind || second.collective.ranks !== ranks || second.collective.root !== root) {
    throw new CccError('schedule', `${first.name} and ${second.name} are not for shares of one message`);
  }
  const whole = collective.chunks + second.collective.chunks;
  const otherChannels = 1 + first.steps.channel.reduce((a, b) => Math.max(a, b), 0);
  const shares = [
    { schedule: first, start: 0, scratch: 0, channel: 0 },
    { schedule: second, start: collective.chunks, scratch: first.scratch, channel: otherChannels },
  ];
  const builder = new StepsBuilder();
  for (let step = 0; step < Math.max(first.steps.stepCount, second.steps.stepCount); step++) {
    for (const { schedule, start, scratch, channel } of shares) {
      if (step >= schedule.steps.stepCount) continue;
      const { chunks } = schedule.collective;
      const place = (buffer: ScheduleBuffer, offset: number): number =>
        buffer === 'scratch' ? offset + scratch : Math.floor(offset / chunks) * whole + start + (offset % chunks);
      for (const transfer of schedule.steps.inStep(step)) {
        const pieces = transfer.pieces.flatMap((piece) => placed(piece, chunks, place));
        builder.add({ ...transfer, channel: transfer.channel + channel, pieces: joinPieces(pieces) });
      }
    }
    builder.endStep();
  }
  return {
    ...first,
    collective: { ...collective, chunks: whole },
    scratch: first.scratch + second.scratch,
    commutative: first.commutative || second.commutative,
    ring: false,
    steps: builder.build(),
  };
}

/** Moves a piece to its share of each shard, and cuts it at the ends of shards. */
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

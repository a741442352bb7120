/** Permutes the ranks of a schedule: rank order[p] does what position p did. */
import { type Collective, collectiveFacts, combinesInRankOrder, inputChunks, outputChunks } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { type Schedule, type ScheduleBuffer, type Steps, StepsBuilder, scheduleBuffers } from '../ir/schedule.ts';

/**
 * Assigns the positions of a schedule to other ranks. Shards follow their ranks, and so does the root.
 *
 * @param order `order[p]` is the rank that plays position p; a permutation of 0 … N−1
 * @throws CccError 'schedule' if the order of ranks is part of the result, or `order` is no permutation
 */
export function relabel(schedule: Schedule, order: readonly number[]): Schedule {
  const { collective, steps } = schedule;
  checkOrder(schedule, order);
  const builder = new StepsBuilder();
  for (let step = 0; step < steps.stepCount; step++) {
    for (let t = steps.stepStart[step]; t < steps.stepStart[step + 1]; t++) {
      builder.startLike(steps, t, order[steps.source[t]], order[steps.destination[t]]);
      for (let p = steps.pieceStart[t]; p < steps.pieceStart[t + 1]; p++) {
        addMoved(builder, steps, t, p, collective, order);
      }
    }
    builder.endStep(steps.rounds[step]);
  }
  const root = collectiveFacts[collective.kind].rooted ? order[collective.root] : collective.root;
  return { ...schedule, collective: { ...collective, root }, steps: builder.build() };
}

function checkOrder({ name, collective }: Schedule, order: readonly number[]): void {
  if (combinesInRankOrder(collective) || collective.kind === 'custom') {
    const message = `the ranks of ${name} cannot be put in another order: its result depends on their order`;
    throw new CccError('schedule', message);
  }
  const ranks = new Set(order);
  const isPermutation =
    order.length === collective.ranks &&
    ranks.size === order.length &&
    order.every((rank) => Number.isInteger(rank) && rank >= 0 && rank < collective.ranks);
  if (!isPermutation) {
    throw new CccError(
      'schedule',
      `expected each rank from 0 to ${collective.ranks - 1} once, not ${order.join(', ')}`,
    );
  }
}

/** Whether a buffer holds one shard per rank. */
function holdsShards(buffer: ScheduleBuffer, rank: number, collective: Collective): boolean {
  switch (buffer) {
    case 'data':
      return collectiveFacts[collective.kind].sharded;
    case 'input':
      return collectiveFacts[collective.kind].sharded && inputChunks(collective, rank) > collective.chunks;
    case 'output':
      return collectiveFacts[collective.kind].sharded && outputChunks(collective, rank) > collective.chunks;
    case 'scratch':
      return false;
  }
}

/** Adds a piece of a transfer with its shards at the places of their new ranks, cut at the ends of shards. */
function addMoved(
  builder: StepsBuilder,
  steps: Steps,
  transfer: number,
  piece: number,
  collective: Collective,
  order: readonly number[],
): void {
  const { chunks } = collective;
  const [from, to] = [steps.from[piece], steps.to[piece]];
  const fromShards = holdsShards(scheduleBuffers[from], steps.source[transfer], collective);
  const toShards = holdsShards(scheduleBuffers[to], steps.destination[transfer], collective);
  const move = (offset: number): number => order[Math.floor(offset / chunks)] * chunks + (offset % chunks);
  for (let done = 0; done < steps.count[piece]; ) {
    const [start, end] = [steps.fromOffset[piece] + done, steps.toOffset[piece] + done];
    let count = steps.count[piece] - done;
    if (fromShards) count = Math.min(count, chunks - (start % chunks));
    if (toShards) count = Math.min(count, chunks - (end % chunks));
    builder.joinPiece(from, fromShards ? move(start) : start, to, toShards ? move(end) : end, count);
    done += count;
  }
}

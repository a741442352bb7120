/** The same schedule with the ranks in another order: what position p did, rank order[p] does. */
import { type Collective, collectiveFacts, inputChunks, keepsRankOrder, outputChunks } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { type Piece, type Schedule, type ScheduleBuffer, StepsBuilder } from '../ir/schedule.ts';
import { joinPieces } from './pieces.ts';

/**
 * Gives the positions of a schedule to other ranks. Shards follow their ranks, and so does the root.
 *
 * @param order `order[p]` is the rank that plays position p; a permutation of 0 … N−1
 * @throws CccError 'schedule' where the order of ranks is part of the result, or `order` is no permutation
 */
export function relabel(schedule: Schedule, order: readonly number[]): Schedule {
  const { collective, steps } = schedule;
  checkOrder(schedule, order);
  const builder = new StepsBuilder();
  for (let step = 0; step < steps.stepCount; step++) {
    for (const transfer of steps.inStep(step)) {
      const { source, destination, pieces } = transfer;
      builder.add({
        ...transfer,
        source: order[source],
        destination: order[destination],
        pieces: joinPieces(pieces.flatMap((piece) => moveShards(piece, source, destination, collective, order))),
      });
    }
    builder.endStep(steps.rounds[step]);
  }
  const root = collectiveFacts[collective.kind].rooted ? order[collective.root] : collective.root;
  return { ...schedule, collective: { ...collective, root }, steps: builder.build() };
}

function checkOrder({ name, collective }: Schedule, order: readonly number[]): void {
  if (keepsRankOrder(collective) || collective.kind === 'custom') {
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

/** A piece with its shards where their ranks now want them, cut where shards end. */
function moveShards(
  piece: Piece,
  source: number,
  destination: number,
  collective: Collective,
  order: readonly number[],
): Piece[] {
  const { chunks } = collective;
  const fromShards = holdsShards(piece.from, source, collective);
  const toShards = holdsShards(piece.to, destination, collective);
  const move = (offset: number): number => order[Math.floor(offset / chunks)] * chunks + (offset % chunks);
  const parts: Piece[] = [];
  for (let done = 0; done < piece.count; ) {
    const from = piece.fromOffset + done;
    const to = piece.toOffset + done;
    let count = piece.count - done;
    if (fromShards) count = Math.min(count, chunks - (from % chunks));
    if (toShards) count = Math.min(count, chunks - (to % chunks));
    parts.push({ ...piece, fromOffset: fromShards ? move(from) : from, toOffset: toShards ? move(to) : to, count });
    done += count;
  }
  return parts;
}

/**
 * Barriers from allgathers: if every rank's shard reaches every rank, every rank has received a message that depends on the arrival of every other
 * rank.
 */
import type { Collective } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { type Piece, type Schedule, type ScheduleBuffer, StepsBuilder } from '../ir/schedule.ts';

/**
 * Makes a barrier that sends the messages of an allgather with one token each. A rank combines all tokens that it receives with its own, so that what
 * it sends in a step depends on every message that it received in earlier steps, and on its own arrival.
 * @param move an allgather of as many ranks
 * @throws CccError 'schedule' for any other move
 */
export function tokensOf(move: Schedule, target: Collective): Schedule {
  const { kind, ranks } = move.collective;
  if (kind !== 'allgather' || ranks !== target.ranks) {
    throw new CccError('schedule', `${move.name} is no allgather of ${target.ranks} ranks`);
  }
  const builder = new StepsBuilder();
  const token = (from: ScheduleBuffer): readonly Piece[] => [
    { from, fromOffset: 0, to: 'scratch', toOffset: 0, count: 1 },
  ];
  const alone = { channel: 0, order: 'held-first', origin: undefined } as const;
  for (let rank = 0; rank < ranks; rank++) {
    builder.add({ kind: 'copy', source: rank, destination: rank, ...alone, pieces: token('input') });
  }
  builder.endStep();
  const { steps } = move;
  for (let step = 0; step < steps.stepCount; step++) {
    const told = new Set<number>();
    for (let t = steps.stepStart[step]; t < steps.stepStart[step + 1]; t++) {
      const [source, destination] = [steps.source[t], steps.destination[t]];
      const pair = source * ranks + destination;
      if (source === destination || told.has(pair)) continue;
      told.add(pair);
      builder.add({ kind: 'reduce', source, destination, ...alone, pieces: token('scratch') });
    }
    builder.endStep();
  }
  const { name } = move;
  return { name, collective: target, scratch: 1, commutative: true, ring: false, steps: builder.build() };
}

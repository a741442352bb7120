/**
 * For machines whose links reach a fast memory only: everything that is sent, received or reduced is kept there, as scratch. What
 * starts as input is copied in before its first use, and results are copied out when nothing changes them any more, each on a
 * channel of its own, so that the copies of some bulks and the messages of others run side by side.
 */
import { type Schedule, StepsBuilder, type Transfer } from '../ir/schedule.ts';
import { joinPieces } from './pieces.ts';
import { StagedRank } from './staged-rank.ts';

/**
 * @returns a schedule in which transfers read and write scratch only, except for local copies from input one step before they are
 * needed, and to output one step after what they copy is final
 */
export function stage(schedule: Schedule): Schedule {
  const { steps, collective } = schedule;
  const ranks = Array.from({ length: collective.ranks }, (_, rank) => new StagedRank(schedule, rank));
  for (let step = 0; step < steps.stepCount; step++) {
    for (const transfer of steps.inStep(step)) {
      ranks[transfer.source].noteReads(transfer, step);
      ranks[transfer.destination].noteWrites(transfer, step);
    }
  }
  const scratch = ranks.reduce((most, rank) => Math.max(most, rank.assign()), 0);
  const channel = 1 + steps.channel.reduce((most, used) => Math.max(most, used), 0);
  const builder = new StepsBuilder();
  for (let step = -1; step <= steps.stepCount; step++) {
    const transfers = step >= 0 && step < steps.stepCount ? steps.inStep(step) : [];
    for (const transfer of transfers) builder.add(throughScratch(transfer, ranks));
    for (const rank of ranks) {
      for (const copy of [...rank.copiesIn(step + 1, channel), ...rank.copiesOut(step - 1, channel + 1)])
        builder.add(copy);
    }
    builder.endStep(steps.rounds[step] ?? 0);
  }
  return { ...schedule, scratch, ring: false, steps: builder.build() };
}

/** The same transfer between the places in scratch. */
function throughScratch(transfer: Transfer, ranks: readonly StagedRank[]): Transfer {
  const pieces = transfer.pieces.flatMap(({ from, fromOffset, to, toOffset, count }) =>
    Array.from({ length: count }, (_, chunk) => ({
      from: 'scratch' as const,
      fromOffset: ranks[transfer.source].placeOf(from, fromOffset + chunk),
      to: 'scratch' as const,
      toOffset: ranks[transfer.destination].placeOf(to, toOffset + chunk),
      count: 1,
    })),
  );
  return { ...transfer, pieces: joinPieces(pieces) };
}

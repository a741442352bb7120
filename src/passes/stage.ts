/**
 * For machines whose links reach a fast memory only: everything that is sent, received or reduced is kept there, as scratch. What
 * starts as input is copied in before its first use, and results are copied out when nothing changes them any more, each on a
 * channel of its own, so that the copies of some bulks and the messages of others run side by side.
 */
import { type Piece, type Schedule, StepsBuilder, type Transfer } from '../ir/schedule.ts';
import { joinPieces } from './pieces.ts';
import { StagedRank } from './staged-rank.ts';

/**
 * @returns a schedule in which transfers read and write scratch only, except for local copies from input one step before they are
 * needed, and to output one step after what they copy is final
 */
export function stage(schedule: Schedule): Schedule {
  const { steps, collective } = schedule;
  const ranks = Array.from({ length: collective.ranks }, (_, rank) => new StagedRank(schedule, rank));
  const inSteps = Array.from(steps.rounds, (_, step) => steps.inStep(step));
  inSteps.forEach((transfers, step) => {
    for (const transfer of transfers) {
      ranks[transfer.source].noteReads(transfer, step);
      ranks[transfer.destination].noteWrites(transfer, step);
    }
  });
  const scratch = ranks.reduce((most, rank) => Math.max(most, rank.assign()), 0);
  const channel = 1 + steps.channel.reduce((most, used) => Math.max(most, used), 0);
  const builder = new StepsBuilder();
  for (let step = -1; step <= steps.stepCount; step++) {
    for (const transfer of inSteps[step] ?? []) builder.add(throughScratch(transfer, ranks));
    for (const rank of ranks) {
      for (const copy of [...rank.copiesIn(step + 1, channel), ...rank.copiesOut(step - 1, channel + 1)])
        builder.add(copy);
    }
    builder.endStep(steps.rounds[step] ?? 0);
  }
  return { ...schedule, scratch, ring: false, steps: builder.build() };
}

/** Whether whatever is sent, received or reduced lies in scratch already. */
export function isStaged({ steps }: Schedule): boolean {
  for (let transfer = 0; transfer < steps.transferCount; transfer++) {
    const { kind, source, destination, pieces } = steps.transfer(transfer);
    if (kind === 'copy' && source === destination) continue;
    if (pieces.some(({ from, to }) => from !== 'scratch' || to !== 'scratch')) return false;
  }
  return true;
}

/** The same transfer between the places in scratch: neighbours stay neighbours where all between them is used. */
function throughScratch(transfer: Transfer, ranks: readonly StagedRank[]): Transfer {
  const [source, destination] = [ranks[transfer.source], ranks[transfer.destination]];
  const pieces: Piece[] = [];
  for (const { from, fromOffset, to, toOffset, count } of transfer.pieces) {
    const [first, into] = [source.placeOf(from, fromOffset), destination.placeOf(to, toOffset)];
    pieces.push({ from: 'scratch', fromOffset: first, to: 'scratch', toOffset: into, count });
  }
  return { ...transfer, pieces: joinPieces(pieces) };
}

/**
 * Staging for machines whose links access a fast memory only: everything that is sent, received or reduced is kept there, as scratch. Input is copied
 * in before its first use, and results are copied out when they are final. Both kinds of copies have a channel of their own, so that copies of some
 * bulks overlap with messages of others.
 */
import { type Piece, type Schedule, StepsBuilder, type Transfer } from '../ir/schedule.ts';
import { joinPieces } from './pieces.ts';
import { StagedRank } from './staged-rank.ts';

/**
 * @returns a schedule in which transfers access scratch only, except for local copies from the input one step before they are needed, and to the
 *   output one step after their source is final
 */
export function stage(schedule: Schedule): Schedule {
  const { steps, collective } = schedule;
  const ranks = Array.from({ length: collective.ranks }, (_, rank) => new StagedRank(schedule, rank));
  const inSteps = Array.from(steps.rounds, (_, step) => steps.inStep(step));
  const direct = directEnds(schedule);
  inSteps.forEach((transfers, step) => {
    for (const transfer of transfers) {
      const { from, to } = direct(transfer);
      if (!from) ranks[transfer.source].noteReads(transfer, step);
      if (!to) ranks[transfer.destination].noteWrites(transfer, step);
    }
  });
  const scratch = ranks.reduce((most, rank) => Math.max(most, rank.assign()), 0);
  const channel = 1 + steps.channel.reduce((most, used) => Math.max(most, used), 0);
  const builder = new StepsBuilder();
  for (let step = -1; step <= steps.stepCount; step++) {
    for (const transfer of inSteps[step] ?? []) builder.add(throughScratch(transfer, ranks, direct(transfer)));
    for (const rank of ranks) {
      for (const copy of [...rank.copiesIn(step + 1, channel), ...rank.copiesOut(step - 1, channel + 1)])
        builder.add(copy);
    }
    builder.endStep(steps.rounds[step] ?? 0);
  }
  return { ...schedule, scratch, ring: false, steps: builder.build() };
}

/** Whether everything that is sent, received or reduced is in scratch already. */
export function isStaged({ steps }: Schedule): boolean {
  for (let transfer = 0; transfer < steps.transferCount; transfer++) {
    const { kind, source, destination, pieces } = steps.transfer(transfer);
    if (kind === 'copy' && source === destination) continue;
    if (pieces.some(({ from, to }) => from !== 'scratch' || to !== 'scratch')) return false;
  }
  return true;
}

/** Which ends of a transfer need no staging. */
interface DirectEnds {
  readonly from: boolean;
  readonly to: boolean;
}

/**
 * Decides which ends need no staging: the input that a local copy reads, and the output that it alone writes. In place each of them may share memory
 * with the other buffer, so that everything is staged.
 */
function directEnds({ collective, steps }: Schedule): (transfer: Transfer) => DirectEnds {
  const uses = new Map<string, number>();
  const slotsOf = ({ source, destination, pieces }: Transfer): string[] =>
    pieces.flatMap(({ from, fromOffset, to, toOffset, count }) =>
      Array.from({ length: count }, (_, i) => [
        ...(from === 'output' ? [`${source} ${fromOffset + i}`] : []),
        ...(to === 'output' ? [`${destination} ${toOffset + i}`] : []),
      ]).flat(),
    );
  for (let transfer = 0; transfer < steps.transferCount; transfer++)
    for (const slot of slotsOf(steps.transfer(transfer))) uses.set(slot, (uses.get(slot) ?? 0) + 1);
  return (transfer) => {
    const { kind, source, destination, pieces, nanoseconds } = transfer;
    const isLocal = kind === 'copy' && source === destination && nanoseconds === undefined && !collective.inPlace;
    const from = isLocal && pieces.every((piece) => piece.from === 'input');
    const to =
      isLocal &&
      pieces.every((piece) => piece.to === 'output') &&
      slotsOf(transfer).every((slot) => uses.get(slot) === 1);
    return { from, to };
  };
}

/** The same transfer between slots of scratch. Neighbouring chunks stay neighbours if all slots between them are used. */
function throughScratch(transfer: Transfer, ranks: readonly StagedRank[], direct: DirectEnds): Transfer {
  const [source, destination] = [ranks[transfer.source], ranks[transfer.destination]];
  const pieces = transfer.pieces.map(({ from, fromOffset, to, toOffset, count }): Piece => {
    const [first, into] = [source.placeOf(from, fromOffset), destination.placeOf(to, toOffset)];
    return {
      ...(direct.from ? { from, fromOffset } : { from: 'scratch', fromOffset: first }),
      ...(direct.to ? { to, toOffset } : { to: 'scratch', toOffset: into }),
      count,
    };
  });
  return { ...transfer, pieces: joinPieces(pieces) };
}

/**
 * Adapts a schedule to shards of different sizes (allgatherv, alltoallv …). Chunks stay as they are, only their sizes differ. Shards without bytes
 * are not moved, and messages that carry nothing else are not sent.
 */
import { inputChunks, shardOf } from '../ir/collective.ts';
import { dataWindow, type Piece, type Schedule, StepsBuilder, type Transfer } from '../ir/schedule.ts';
import { joinPieces, partition } from './pieces.ts';
import { SlotFlags } from './slot-flags.ts';

/**
 * Gives the shards of a schedule their sizes.
 *
 * @param counts bytes of each shard, as in `Collective.counts`
 * @returns the schedule without transfers of empty chunks, and without steps that are left without transfers
 */
export function withCounts(schedule: Schedule, counts: readonly number[]): Schedule {
  const sized: Schedule = { ...schedule, collective: { ...schedule.collective, counts } };
  const { steps } = sized;
  if (!counts.includes(0)) return sized;
  const full = fullAtStart(sized, counts);
  const builder = new StepsBuilder();
  for (let step = 0; step < steps.stepCount; step++) {
    const transfers = steps.inStep(step);
    const carried = transfers.map((transfer) => carriedParts(transfer, full));
    transfers.forEach((transfer, t) => {
      clear(transfer, full);
      if (carried[t].length > 0) builder.add({ ...transfer, pieces: joinPieces(carried[t]) });
    });
    transfers.forEach((transfer, t) => {
      for (const { to, toOffset, count } of carried[t]) full.set(transfer.destination, to, toOffset, count, true);
    });
    builder.endStep(steps.rounds[step]);
  }
  return { ...sized, steps: builder.build() };
}

/** The slots that hold bytes before the first step: inputs that are not empty. */
function fullAtStart({ collective, scratch }: Schedule, counts: readonly number[]): SlotFlags {
  const full = new SlotFlags(collective, scratch);
  for (let rank = 0; rank < collective.ranks; rank++) {
    const window = dataWindow(collective, rank);
    for (let slot = 0; slot < inputChunks(collective, rank); slot++) {
      if (counts[shardOf(collective, 'input', rank, slot)] === 0) continue;
      full.set(rank, 'input', slot, 1, true);
      full.set(rank, 'data', window.input + slot, 1, true);
    }
  }
  return full;
}

/** The parts of a transfer's pieces whose source slots hold bytes. */
function carriedParts({ source, pieces }: Transfer, full: SlotFlags): Piece[] {
  return partition(pieces, (piece, chunk) => full.has(source, piece.from, piece.fromOffset + chunk)).passed;
}

/** Updates the destination of a copy without bytes to be empty. A reduction with an empty operand changes nothing. */
function clear({ kind, destination, pieces }: Transfer, full: SlotFlags): void {
  if (kind === 'reduce') return;
  for (const { to, toOffset, count } of pieces) full.set(destination, to, toOffset, count, false);
}

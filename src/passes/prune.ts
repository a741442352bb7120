/** Leaves out the messages and local operations that nothing in the final result depends on. */
import { expectation, outputChunks } from '../ir/collective.ts';
import { dataWindow, type Piece, type Schedule, StepsBuilder, type Transfer } from '../ir/schedule.ts';
import { partition } from './pieces.ts';
import { SlotFlags } from './slot-flags.ts';

/**
 * Goes backwards over the steps and keeps what writes a slot that is needed later. A message is kept whole if any part of
 * it is needed, or, by `pieces`, those chunks of it that are. A barrier is left as it is: its messages matter though nobody reads
 * what they carry.
 */
export function prune(schedule: Schedule, kept: 'messages' | 'pieces' = 'messages'): Schedule {
  if (schedule.collective.kind === 'barrier') return schedule;
  const needed = neededAtEnd(schedule);
  const { steps } = schedule;
  const left: Transfer[][] = [];
  for (let step = steps.stepCount - 1; step >= 0; step--) {
    const whole = steps.inStep(step).filter((transfer) => isNeeded(transfer, needed));
    const transfers = kept === 'messages' ? whole : whole.map((transfer) => neededPart(transfer, needed));
    for (const { destination, pieces } of transfers) {
      for (const { to, toOffset, count } of pieces) needed.set(destination, to, toOffset, count, false);
    }
    for (const transfer of transfers) noteReads(transfer, needed);
    left[step] = transfers;
  }
  const builder = new StepsBuilder();
  left.forEach((transfers, step) => {
    for (const transfer of transfers) builder.add(transfer);
    builder.endStep(steps.rounds[step]);
  });
  return { ...schedule, steps: builder.build() };
}

/** The output, wherever the schedule may have put it, except for what may hold anything. */
function neededAtEnd({ collective, scratch }: Schedule): SlotFlags {
  const needed = new SlotFlags(collective, scratch);
  for (let rank = 0; rank < collective.ranks; rank++) {
    const window = dataWindow(collective, rank);
    for (let chunk = 0; chunk < outputChunks(collective, rank); chunk++) {
      if (expectation(collective, rank, chunk).kind === 'undefined') continue;
      needed.set(rank, 'output', chunk, 1, true);
      if (window.size > 0) needed.set(rank, 'data', window.output + chunk, 1, true);
    }
  }
  return needed;
}

/** Writes to the input are kept: in place it may be the output as well, and elsewhere they are an error to be reported. */
function isNeeded({ destination, pieces }: Transfer, needed: SlotFlags): boolean {
  return pieces.some(({ to, toOffset, count }) => to === 'input' || needed.any(destination, to, toOffset, count));
}

function neededPart(transfer: Transfer, needed: SlotFlags): Transfer {
  const isUsed = ({ to, toOffset }: Piece, chunk: number) =>
    to === 'input' || needed.has(transfer.destination, to, toOffset + chunk);
  return { ...transfer, pieces: partition(transfer.pieces, isUsed).passed };
}

/** What a transfer needs to be there before: its source, and what it reduces into, be it needed for the result or not. */
function noteReads({ source, destination, kind, pieces }: Transfer, needed: SlotFlags): void {
  for (const { from, fromOffset, to, toOffset, count } of pieces) {
    needed.set(source, from, fromOffset, count, true);
    if (kind === 'reduce') needed.set(destination, to, toOffset, count, true);
  }
}

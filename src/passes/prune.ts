/** Removes the messages and local operations on which nothing in the final result depends. */
import { expectation, outputChunks } from '../ir/collective.ts';
import { dataWindow, type Piece, type Schedule, StepsBuilder, type Transfer } from '../ir/schedule.ts';
import { partition } from './pieces.ts';
import { SlotFlags } from './slot-flags.ts';

/**
 * Visits the steps backwards and keeps the transfers that write a slot which is needed later. A message is kept whole if any part of it is needed or,
 * with `pieces`, reduced to the chunks that are. A barrier stays as it is: its messages matter although nobody reads their data.
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

/** The output slots, at all places where the schedule may have put them, except for those that may hold anything. */
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

/**
 * Whether a transfer writes a needed slot. Writes to the input always count: in place it may be the output as well, and otherwise the verifier must
 * report them.
 */
function isNeeded({ destination, pieces }: Transfer, needed: SlotFlags): boolean {
  return pieces.some(({ to, toOffset, count }) => to === 'input' || needed.any(destination, to, toOffset, count));
}

function neededPart(transfer: Transfer, needed: SlotFlags): Transfer {
  const isUsed = ({ to, toOffset }: Piece, chunk: number) =>
    to === 'input' || needed.has(transfer.destination, to, toOffset + chunk);
  return { ...transfer, pieces: partition(transfer.pieces, isUsed).passed };
}

/** Marks what a transfer reads as needed: its source and, for a reduction, its destination. */
function noteReads({ source, destination, kind, pieces }: Transfer, needed: SlotFlags): void {
  for (const { from, fromOffset, to, toOffset, count } of pieces) {
    needed.set(source, from, fromOffset, count, true);
    if (kind === 'reduce') needed.set(destination, to, toOffset, count, true);
  }
}

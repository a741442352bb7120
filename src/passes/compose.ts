/** Schedules one after the other on the same data: allreduce = reducescatter, then allgather, and so on (docs/collectives.md). */

import { type Collective, inputChunks, messageChunks, outputChunks } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { type Piece, type Schedule, type ScheduleBuffer, StepsBuilder } from '../ir/schedule.ts';
import { counted } from '../ir/units.ts';

/**
 * Runs schedules one after the other. Each works on the `data` that the one before left; scratch is not shared.
 *
 * @param parts schedules for the same number of ranks whose data buffers have the size of the target's
 * @throws CccError 'schedule' when sizes differ
 */
export function compose(
  parts: readonly Schedule[],
  target: { readonly name: string; readonly collective: Collective },
): Schedule {
  const builder = new StepsBuilder();
  let scratch = 0;
  for (const part of parts) {
    checkSizes(part, target);
    const shift = (buffer: ScheduleBuffer, offset: number): number =>
      buffer === 'scratch' ? offset + scratch : offset;
    const moved = (piece: Piece): Piece => ({
      ...piece,
      fromOffset: shift(piece.from, piece.fromOffset),
      toOffset: shift(piece.to, piece.toOffset),
    });
    for (let step = 0; step < part.steps.stepCount; step++) {
      for (const transfer of part.steps.inStep(step)) {
        for (const { from, to } of transfer.pieces) {
          checkBuffer(part, target, from, transfer.source);
          checkBuffer(part, target, to, transfer.destination);
        }
        builder.add(scratch === 0 ? transfer : { ...transfer, pieces: transfer.pieces.map(moved) });
      }
      builder.endStep(part.steps.rounds[step]);
    }
    scratch += part.scratch;
  }
  return {
    ...target,
    scratch,
    commutative: parts.some((part) => part.commutative),
    ring: parts.every((part) => part.ring),
    steps: builder.build(),
  };
}

function checkSizes(part: Schedule, { name, collective }: { name: string; collective: Collective }): void {
  if (part.collective.ranks !== collective.ranks) {
    const message = `${name} has ${counted(collective.ranks, 'rank')}, but its part ${part.name} has ${part.collective.ranks}`;
    throw new CccError('schedule', message);
  }
  const [has, wanted] = [messageChunks(part.collective), messageChunks(collective)];
  if (has === wanted) return;
  throw new CccError('schedule', `${name} works on ${counted(wanted, 'chunk')}, but its part ${part.name} on ${has}`);
}

/** A part may name input and output only where they are those of the whole. */
function checkBuffer(part: Schedule, target: { collective: Collective }, buffer: ScheduleBuffer, rank: number): void {
  if (buffer === 'data' || buffer === 'scratch') return;
  const chunks = buffer === 'input' ? inputChunks : outputChunks;
  if (chunks(part.collective, rank) === chunks(target.collective, rank)) return;
  const message = `${part.name} names its ${buffer}, which is another one in a composition; it must work on data`;
  throw new CccError('schedule', message);
}

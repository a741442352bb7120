/** Runs schedules one after the other on the same data, for example a reducescatter and an allgather as an allreduce (docs/collectives.md). */

import { type Collective, inputChunks, messageChunks, outputChunks } from '../ir/collective.ts';
import { CccError } from '../ir/diagnostic.ts';
import { type Schedule, type ScheduleBuffer, StepsBuilder, scheduleBuffers } from '../ir/schedule.ts';
import { counted } from '../ir/units.ts';

/**
 * Concatenates schedules. Each works on the `data` that the previous one left; scratch is not shared.
 *
 * @param parts schedules for the same number of ranks whose data buffers have the size of the target's
 * @throws CccError 'schedule' if the sizes differ
 */
export function compose(
  parts: readonly Schedule[],
  target: { readonly name: string; readonly collective: Collective },
): Schedule {
  const builder = new StepsBuilder();
  let scratch = 0;
  for (const part of parts) {
    checkSizes(part, target);
    for (let step = 0; step < part.steps.stepCount; step++) {
      for (let t = part.steps.stepStart[step]; t < part.steps.stepStart[step + 1]; t++) {
        addShifted(builder, part, t, scratch, target);
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
    ...(parts.some((part) => part.inTurn === true) && { inTurn: true }),
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

/** Adds a transfer of a part, whose scratch begins behind that of the previous parts. */
function addShifted(
  builder: StepsBuilder,
  part: Schedule,
  transfer: number,
  scratch: number,
  target: { readonly collective: Collective },
): void {
  const { steps } = part;
  const [source, destination] = [steps.source[transfer], steps.destination[transfer]];
  builder.startLike(steps, transfer, source, destination);
  for (let p = steps.pieceStart[transfer]; p < steps.pieceStart[transfer + 1]; p++) {
    const [from, to] = [steps.from[p], steps.to[p]];
    checkBuffer(part, target, scheduleBuffers[from], source);
    checkBuffer(part, target, scheduleBuffers[to], destination);
    const fromOffset = steps.fromOffset[p] + (scheduleBuffers[from] === 'scratch' ? scratch : 0);
    const toOffset = steps.toOffset[p] + (scheduleBuffers[to] === 'scratch' ? scratch : 0);
    builder.addPiece(from, fromOffset, to, toOffset, steps.count[p]);
  }
}

/** Checks that a part names input and output only where they are those of the whole schedule. */
function checkBuffer(part: Schedule, target: { collective: Collective }, buffer: ScheduleBuffer, rank: number): void {
  if (buffer === 'data' || buffer === 'scratch') return;
  const chunks = buffer === 'input' ? inputChunks : outputChunks;
  if (chunks(part.collective, rank) === chunks(target.collective, rank)) return;
  const message = `${part.name} names its ${buffer}, which is another one in a composition; it must work on data`;
  throw new CccError('schedule', message);
}

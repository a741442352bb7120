/** Splits every message of a schedule over several channels, so that more lanes move it in parallel. */
import { type Piece, type Schedule, StepsBuilder } from '../ir/schedule.ts';
import { refine } from './refine.ts';

/**
 * Cuts every chunk into `count` parts and sends each part over a channel of its own: instance i of channel c uses channel c · count + i. Local
 * operations are split likewise.
 */
export function inInstances(schedule: Schedule, count: number): Schedule {
  if (count === 1) return schedule;
  const finer = refine(schedule, count);
  const builder = new StepsBuilder();
  for (let step = 0; step < finer.steps.stepCount; step++) {
    for (const transfer of finer.steps.inStep(step)) {
      for (let instance = 0; instance < count; instance++) {
        const share = (piece: Piece): Piece => {
          const chunks = piece.count / count;
          const first = instance * chunks;
          return { ...piece, fromOffset: piece.fromOffset + first, toOffset: piece.toOffset + first, count: chunks };
        };
        const channel = transfer.channel * count + instance;
        builder.add({ ...transfer, channel, pieces: transfer.pieces.map(share) });
      }
    }
    builder.endStep(finer.steps.rounds[step]);
  }
  return { ...finer, steps: builder.build() };
}

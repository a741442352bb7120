/** The same schedule with every chunk cut into several, so that it can be divided further. */
import { type Piece, type Schedule, StepsBuilder } from '../ir/schedule.ts';

/** @param factor what was one chunk becomes so many; ≥ 1 */
export function refine(schedule: Schedule, factor: number): Schedule {
  if (factor === 1) return schedule;
  const { steps, collective } = schedule;
  const finer = (piece: Piece): Piece => ({
    ...piece,
    fromOffset: piece.fromOffset * factor,
    toOffset: piece.toOffset * factor,
    count: piece.count * factor,
  });
  const builder = new StepsBuilder();
  for (let step = 0; step < steps.stepCount; step++) {
    for (const transfer of steps.inStep(step)) builder.add({ ...transfer, pieces: transfer.pieces.map(finer) });
    builder.endStep(steps.rounds[step] * factor);
  }
  return {
    ...schedule,
    collective: { ...collective, chunks: collective.chunks * factor },
    scratch: schedule.scratch * factor,
    steps: builder.build(),
  };
}

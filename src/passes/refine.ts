/** The same schedule with every chunk cut into several, so that it can be divided further. */
import type { CustomCondition } from '../ir/collective.ts';
import { withChunks } from '../ir/custom-results.ts';
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
  const custom = collective.custom && finerCondition(collective.custom, factor);
  return {
    ...schedule,
    collective: { ...collective, chunks: collective.chunks * factor, ...(custom && { custom }) },
    scratch: schedule.scratch * factor,
    steps: builder.build(),
  };
}

/** Of every slot as many as it is cut into, each of the same parts of what it combines. */
function finerCondition({ input, output, inputAt, results }: CustomCondition, factor: number): CustomCondition {
  const times = (counts: readonly number[]): number[] => counts.map((count) => count * factor);
  return {
    input: times(input),
    output: times(output),
    ...(inputAt && { inputAt: times(inputAt) }),
    results: withChunks(results, (chunks) => chunks * factor),
  };
}

/** Cuts every chunk of a schedule into several, so that later passes can divide the data further. */
import type { CustomCondition } from '../ir/collective.ts';
import { withChunks } from '../ir/custom-results.ts';
import { type Piece, type Schedule, StepsBuilder } from '../ir/schedule.ts';

/** @param factor number of chunks that replace each chunk; ≥ 1 */
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

/** Replaces every slot of a condition by `factor` slots, each with the corresponding parts of the contributions. */
function finerCondition({ input, output, inputAt, results }: CustomCondition, factor: number): CustomCondition {
  const times = (counts: readonly number[]): number[] => counts.map((count) => count * factor);
  return {
    input: times(input),
    output: times(output),
    ...(inputAt && { inputAt: times(inputAt) }),
    results: withChunks(results, (chunks) => chunks * factor),
  };
}

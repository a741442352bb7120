/** Reduces a schedule in which all ranks do the same, shifted, to the part of rank 0, whose program is that of all ranks. */
import { type Schedule, StepsBuilder } from '../ir/schedule.ts';

/** The schedule with only the transfers that leave or reach rank 0, in the same steps. */
export function ofFirstRank(schedule: Schedule): Schedule {
  const { steps } = schedule;
  const builder = new StepsBuilder();
  for (let step = 0; step < steps.stepCount; step++) {
    for (let t = steps.stepStart[step]; t < steps.stepStart[step + 1]; t++) {
      if (steps.source[t] === 0 || steps.destination[t] === 0) builder.add(steps.transfer(t));
    }
    builder.endStep(steps.rounds[step]);
  }
  return { ...schedule, steps: builder.build() };
}

/**
 * Coarsens schedules before lowering: if all pieces begin and end at multiples of several chunks (as in a ring that moves whole shards), the schedule
 * is lowered in units of that many chunks. The work then depends on the number of pieces and not on their size.
 */
import { type Schedule, Steps } from '../../ir/schedule.ts';
import { greatestCommonDivisor } from '../../ir/whole-numbers.ts';

export interface Grained {
  /** The schedule in units of `grain` chunks. */
  readonly schedule: Schedule;
  /** Chunks per unit. */
  readonly grain: number;
}

/** Finds the largest unit that a schedule can be written in. */
export function inLargestUnits(schedule: Schedule): Grained {
  const { collective, steps } = schedule;
  const isSized = collective.kind !== 'custom' && collective.kind !== 'barrier';
  const grain = isSized ? commonDivisor(schedule) : 1;
  if (grain === 1) return { schedule, grain };
  const scale = (column: Int32Array): Int32Array => column.map((chunks) => chunks / grain);
  return {
    schedule: {
      ...schedule,
      collective: { ...collective, chunks: collective.chunks / grain },
      scratch: Math.ceil(schedule.scratch / grain),
      steps: new Steps({
        ...steps,
        fromOffset: scale(steps.fromOffset),
        toOffset: scale(steps.toOffset),
        count: scale(steps.count),
      }),
    },
    grain,
  };
}

/** The greatest common divisor of C and of the offsets and lengths of all pieces. */
function commonDivisor({ collective, steps }: Schedule): number {
  let divisor = collective.chunks;
  for (const column of [steps.fromOffset, steps.toOffset, steps.count]) {
    for (let p = 0; p < column.length && divisor > 1; p++) divisor = greatestCommonDivisor(divisor, column[p]);
  }
  return divisor;
}

/** Distributes the transfers of a schedule to ranks, and finds the steps in which the order of reductions matters. */
import type { Steps } from '../../ir/schedule.ts';

/** By transfer, its step as numbered in plans: from 1, because step 0 is for the copies that place initial values. */
export function stepNumbers(steps: Steps): Int32Array {
  const numbers = new Int32Array(steps.transferCount);
  for (let s = 0; s < steps.stepCount; s++) numbers.fill(s + 1, steps.stepStart[s], steps.stepStart[s + 1]);
  return numbers;
}

/** By rank, the transfers that leave or reach it, in schedule order. Local transfers are listed once, and those without pieces not at all. */
export function transfersByRank(steps: Steps, ranks: number): readonly Int32Array[] {
  const lengths = new Int32Array(ranks);
  const { source, destination } = steps;
  const isEmpty = (t: number): boolean => steps.pieceStart[t] === steps.pieceStart[t + 1];
  for (let t = 0; t < steps.transferCount; t++) {
    if (isEmpty(t)) continue;
    lengths[source[t]]++;
    if (destination[t] !== source[t]) lengths[destination[t]]++;
  }
  const lists = Array.from(lengths, (length) => new Int32Array(length));
  const filled = new Int32Array(ranks);
  for (let t = 0; t < steps.transferCount; t++) {
    if (isEmpty(t)) continue;
    lists[source[t]][filled[source[t]]++] = t;
    if (destination[t] !== source[t]) lists[destination[t]][filled[destination[t]]++] = t;
  }
  return lists;
}

/**
 * By step, numbered as in the plan: 1 if some rank may have to apply two reductions in their listed order that come from different ranks (itself
 * included) or over different channels, so that one connection can depend on another within the step.
 */
export function stepsWithChains(steps: Steps, ranks: number): Uint8Array {
  const chained = new Uint8Array(steps.stepCount + 1);
  const latest = new Int32Array(ranks).fill(-1);
  for (let s = 0; s < steps.stepCount; s++) {
    for (let t = steps.stepStart[s]; t < steps.stepStart[s + 1]; t++) {
      if (!steps.isReduce(t)) continue;
      const before = latest[steps.destination[t]];
      const sameStep = before >= steps.stepStart[s];
      if (sameStep && (steps.source[before] !== steps.source[t] || steps.channel[before] !== steps.channel[t])) {
        chained[s + 1] = 1;
      }
      latest[steps.destination[t]] = t;
    }
  }
  return chained;
}

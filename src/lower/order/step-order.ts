/** Which transfers concern which rank, and what the steps of a schedule ask of the order in which they run. */
import type { Steps } from '../../ir/schedule.ts';

/** The step of every transfer, as plans number them: from 1, because step 0 is where initial values are placed. */
export function stepNumbers(steps: Steps): Int32Array {
  const numbers = new Int32Array(steps.transferCount);
  for (let s = 0; s < steps.stepCount; s++) numbers.fill(s + 1, steps.stepStart[s], steps.stepStart[s + 1]);
  return numbers;
}

/** For each rank the transfers that leave or reach it, in schedule order; local ones once, those of no pieces not at all. */
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
 * For each step (by its number in the plan) 1 if two reductions from different senders (or itself) or channels may have to
 * be applied in their listed order on some rank, so that one connection can depend on another within the step.
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

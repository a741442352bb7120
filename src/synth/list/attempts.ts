/** Repeats a randomised greedy search (each run is an attempt) and keeps the fastest result. */
import { type Effort, partOfWork, WorkBudgetExceeded } from '../../ir/effort.ts';
import type { Seconds } from '../../ir/units.ts';
import { maxAttempts } from '../limits.ts';
import type { SpreadProblem } from './problem.ts';

/**
 * Work limit of all attempts of one search at full effort, in operations of a plan (the unit of work, ir/effort.ts). The trial attempts
 * that choose how finely to cut a shard have the same limit.
 */
const mostWork = 24_000;

/** The work limit of all attempts of one search, in operations of a plan. */
export function workOfAttempts(effort: Effort): number {
  return mostWork * partOfWork[effort];
}

/**
 * Returns the fastest result of repeated attempts, or undefined if no attempt reached every rank. If an attempt runs out of budget midway,
 * the best result of the earlier ones is kept.
 * @param attempt runs attempt `number` (from 0), given the best result so far; returns undefined if some rank cannot get an item
 * @param least a lower bound in seconds; attempts end once the best result meets it
 * @param patience attempts end after this many consecutive ones without improvement
 * @throws WorkBudgetExceeded if the budget ends before there is any result
 */
export function fastest<R extends { readonly seconds: Seconds; readonly work: number }>(
  attempt: (number: number, best: R | undefined) => R | undefined,
  least: Seconds,
  { effort, shouldStop }: Pick<SpreadProblem, 'effort' | 'shouldStop'>,
  patience = maxAttempts,
): R | undefined {
  const most = workOfAttempts(effort);
  let best: R | undefined;
  let work = 0;
  let isOver = false;
  let lastGain = 0;
  for (let number = 0; number === 0 || (number < maxAttempts && work <= most && !isOver); number++) {
    const next = finished(() => attempt(number, best), best);
    isOver = shouldStop() || number - lastGain >= patience;
    if (next === undefined) continue;
    if (best === undefined || next.seconds < best.seconds) {
      best = next;
      lastGain = number;
    }
    if (best.seconds <= least * (1 + 1e-9)) break;
    work += next.work;
  }
  return best;
}

/**
 * Runs one attempt; returns undefined if its budget ran out but an earlier result exists.
 * @throws WorkBudgetExceeded if there is no earlier result
 */
function finished<R>(attempt: () => R | undefined, best: R | undefined): R | undefined {
  try {
    return attempt();
  } catch (error) {
    if (!(error instanceof WorkBudgetExceeded) || best === undefined) throw error;
    return undefined;
  }
}

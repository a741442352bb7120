/** Attempts at random, of which the fastest is kept. */
import { type Effort, partOfWork, WorkBudgetExceeded } from '../../ir/effort.ts';
import type { Seconds } from '../../ir/units.ts';
import { maxAttempts } from '../limits.ts';
import type { SpreadProblem } from './problem.ts';

/** Operations of a plan in whose time they are made, and in whose time it is tried before how finely to cut. */
const mostWork = 24_000;

export function workOfAttempts(effort: Effort): number {
  return mostWork * partOfWork[effort];
}

/**
 * What attempts had found when one of them was given up in the middle is kept.
 *
 * @param attempt told how many there were before; undefined when some rank cannot get something
 * @param least what none is faster than
 * @param patience they end when so many in a row have found nothing better
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

/** @throws WorkBudgetExceeded where there is nothing yet to be kept */
function finished<R>(attempt: () => R | undefined, best: R | undefined): R | undefined {
  try {
    return attempt();
  } catch (error) {
    if (!(error instanceof WorkBudgetExceeded) || best === undefined) throw error;
    return undefined;
  }
}

/** The effort that a user grants a search, and the work budgets that follow from it. */

/**
 * `quick`: a plan in well under a second on machines of up to about 64 ranks, from the most promising candidates; the
 * budget is counted in work, not in time. `full`: every engine, until nothing promising is left.
 */
export const efforts = ['quick', 'full'] as const;
export type Effort = (typeof efforts)[number];

/** Work budget of each effort, as a fraction of that of a full search. */
export const partOfWork: Readonly<Record<Effort, number>> = { quick: 1 / 8, full: 1 };

/** Number of ranks from which on the budget of a quick search grows with the number of ranks. */
const ranksPerBudget = 128;

/**
 * Factor on the budget of a quick search: beyond `ranksPerBudget` it grows in proportion to the number of ranks, as the number of operations in a
 * plan does.
 */
export function budgetFactor(ranks: number): number {
  return Math.max(1, ranks / ranksPerBudget);
}

/**
 * Returns whether a search should stop and return its incumbent. A long-running engine reports the work that it has done since its last call: quick
 * searches are limited by work instead of time, so that they are deterministic.
 *
 * @param work in operations: the unit is the time in which one operation of a plan is lowered, checked and simulated
 * @throws WorkBudgetExceeded if the budget is exceeded so far that work in progress is abandoned
 */
export type ShouldStop = (work?: number) => boolean;

/**
 * Thrown by a budget check to abandon an engine in the middle of its work. The search that imposed the budget catches
 * it, and continues without the engine's proposal; an engine may catch it only to return a complete result that it
 * already has.
 */
export class WorkBudgetExceeded extends Error {}

/** How many transfers of a schedule can be built and estimated in the time that one operation of a plan takes; converts them to the unit of work. */
export const transfersPerOperation = 6;

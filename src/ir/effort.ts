/** Effort of a search, and the budgets that follow from it. */

/**
 * `quick`: a plan in well under a second on machines of up to about 64 ranks, from the most promising candidates; the
 * budget is counted in work, not in time. `full`: every engine, until nothing promising is left.
 */
export const efforts = ['quick', 'full'] as const;
export type Effort = (typeof efforts)[number];

/** The part of what a full search may do that a quick one may. */
export const partOfWork: Readonly<Record<Effort, number>> = { quick: 1 / 8, full: 1 };

/** Up to so many ranks the budgets of a quick search are the same. */
const ranksPerBudget = 128;

/** How many times as much work a quick search may do for so many ranks: beyond some in proportion, as plans have more operations. */
export function budgetFactor(ranks: number): number {
  return Math.max(1, ranks / ranksPerBudget);
}

/**
 * Whether a search is to end with the best it has. One that takes long says what it has done since it asked before: that is how quick searches
 * end by work and not by the clock.
 *
 * @param work in operations of a plan: what takes as long as to lower, prove and simulate one
 * @throws WorkBudgetExceeded where so much has been done that even what has been begun is given up
 */
export type ShouldStop = (work?: number) => boolean;

/**
 * Thrown by a budget check to abandon an engine in the middle of its work. The search that imposed the budget catches
 * it, and continues without the engine's proposal; an engine may catch it only to return a complete result that it
 * already has.
 */
export class WorkBudgetExceeded extends Error {}

/** Transfers of a schedule that are built and estimated in the time of one operation. */
export const transfersPerOperation = 6;

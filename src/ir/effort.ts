/** How much is done for a better plan. */

/**
 * `quick`: a plan in well under a second on machines of up to about 64 ranks: the most promising candidates only, counted in work and not in
 * time; `full`: every engine and whatever it takes.
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
 * @throws WorkSpent where so much has been done that even what has been begun is given up
 */
export type ShouldStop = (work?: number) => boolean;

/** A plan is known, and no more work may be done for another one. Only who set the limit catches it. */
export class WorkSpent extends Error {}

/** Transfers of a schedule that are made and estimated in the time of one operation. */
export const transfersPerOperation = 6;

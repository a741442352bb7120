/** How much is done for a better plan. */

/**
 * `quick`: a plan in well under a second on machines of up to about 64 ranks: the most promising candidates only, counted in work and not in
 * time; `full`: every engine and whatever it takes.
 */
export const efforts = ['quick', 'full'] as const;
export type Effort = (typeof efforts)[number];

/**
 * Whether a search is to end with the best it has. One that takes long says what it has done since it asked before: that is how quick searches
 * end by work and not by the clock.
 *
 * @param work in operations of a plan: what takes as long as to lower, prove and simulate one
 */
export type ShouldStop = (work?: number) => boolean;

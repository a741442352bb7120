/** How much is done for a better plan. */

/**
 * `quick`: a plan in well under a second on machines of up to about 64 ranks: the most promising candidates only, counted in work and not in
 * time; `full`: every engine and whatever it takes.
 */
export const efforts = ['quick', 'full'] as const;
export type Effort = (typeof efforts)[number];

/** Limits of the rounds engine, counted in work rather than time. */

/** Columns that are generated before the master program is solved again. */
export const columnsPerMaster = 60;
/** Random orders in which trees are grown if nearest-first yields too few columns. */
export const treeOrders = 60;
/**
 * Budget per number of rounds. Work is simplex iterations times rows of the program; about 2.5 million take a second.
 */
export const workOfTry = 1_500_000;
/** Total budget for trying numbers of rounds. */
export const workOfTrying = 7_000_000;
export const workOfAll = 22_000_000;
/** The share of it that a quick search may use, which takes less than a second. */
export const quickPart = 1 / 50;
/**
 * Consecutive masters with negligible gain after which the search ends; the threshold is lower for the final number of
 * rounds.
 */
export const patience = 6;
/** The negligible gain at the end, and the loss allowed by rounding to whole chunks, as a part of the time. */
export const precision = 0.002;
/** Maximum chunks of one commodity, and of all together: more take long to prove. */
export const roundsChunkLimits = { each: 4096, together: 16_384 } as const;
/** Hops visited by the tree search that count as one unit of work; each is visited once per rank. */
export const probesPerWork = 100;

/** What schedules in rounds may take: counted in work, never in seconds. */

/** Columns that are looked for before the master program is solved again. */
export const columnsPerMaster = 60;
/** Other orders in which trees are grown where that of the nearest finds too few. */
export const treeOrders = 60;
/** Work is counted in iterations of the simplex method times the rows of the program: about 2.5 million of that are a second. */
export const workOfTry = 1_500_000;
/** Numbers of rounds are tried until they have taken so much together. */
export const workOfTrying = 7_000_000;
export const workOfAll = 22_000_000;
/** The part of it that a quick search may use: these are to be over in a second. */
export const quickPart = 1 / 50;
/** A search ends where so many masters have gained next to nothing: while numbers of rounds are tried, and, of less still, for the best one. */
export const patience = 6;
/** What next to nothing is in the end, and what rounding to whole chunks may lose, as a part of the time. */
export const precision = 0.002;
/** Chunks of one commodity, and of all together: plans of more take long to prove. */
export const roundsChunkLimits = { each: 4096, together: 16_384 } as const;
/** So many hops that trees look at count as one unit of work: each once for each of their ranks. */
export const probesPerWork = 100;

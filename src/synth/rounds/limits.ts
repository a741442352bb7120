/** What schedules in rounds may take: counted in work, never in seconds. */

/** Columns that are looked for before the master program is solved again. */
export const columnsPerMaster = 60;
/** Other orders in which trees are grown where that of the nearest finds too few. */
export const treeOrders = 20;
/** Of the simplex method, for one master. */
export const simplexIterations = 20_000;
/** Work is counted in iterations of the simplex method times the rows of the program: about 2.5 million of that are a second. */
export const workOfTry = 1_500_000;
/** Numbers of rounds are tried until they have taken so much together. */
export const workOfTrying = 7_000_000;
export const workOfAll = 22_000_000;
/** The part of it that a quick search may use: these are to be over in a second. */
export const quickPart = 1 / 50;
/** A search ends where so many masters have gained less than this part of the time: while numbers of rounds are tried, and for the best. */
export const patience = 6;
export const promising = 0.01;
export const finished = 0.002;
/** So many numbers of rounds are looked at to the end, if they are not slower than the best by more than this. */
export const mostFinished = 2;
export const hopeless = 1.05;
/** Numbers of rounds, one after the other, that are tried in vain. */
export const mostFailures = 3;
/** Of the latencies that ways have, so many of the greatest are tried as that of a round. */
export const mostLatencies = 3;

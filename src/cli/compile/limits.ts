/** When searches run in workers, when they get a first plan at once, and what reports look at. */
export const searching = {
  /** Machines with more chips are searched in a worker, so that Ctrl-C keeps the best so far; smaller ones take no time to speak of. */
  ranksAtOnce: 8,
  /** Up to so many a quick search takes no time either. */
  quickRanksAtOnce: 64,
  /** More processors than this gain little: each search at random is worth less than the one before. */
  workers: 8,
  /** To ask all engines for whatever they know takes minutes on machines of more ranks. */
  ranksInFull: 1024,
  /** On machines with more ranks a full search takes long: they get such a plan without a limit, too. */
  manyRanks: 256,
  /** Messages for each rank that a first plan may have, counted by their pieces. */
  messagesOfFirst: 16,
  /** Operations × bulks of plans that are looked at closely after a quick search. */
  operationsLookedAt: 10_000,
  /** Schedules with more transfers are not looked at once more for a line of a report. */
  transfersLookedAt: 200,
  /** The rings of more ranks take a second to price. */
  ranksToPrice: 32,
  /** More sizes would be as good as the same: 10,000 between 1 KiB and 1 GiB are 0.14 % apart. */
  sizesOfTune: 10_000,
} as const;

/** When searches run in workers, when they get a first plan at once, and which plans are examined closely for reports. */
export const searching = {
  /** Machines with more chips are searched in a worker, where the search can be stopped; on smaller ones it takes next to no time. */
  ranksAtOnce: 8,
  /** The same limit for quick searches. */
  quickRanksAtOnce: 64,
  /** On more ranks searches take long enough to gain from code that is optimized early. */
  ranksToOptimizeLate: 64,
  /** Ranks² × chunks of allgathers that are found at once on machines that look the same from every chip, if the number of bulks is given. */
  movesAtOnce: 2 ** 16,
  /** More workers than this gain little: each search with another seed is worth less than the one before. */
  workers: 8,
  /** On more ranks a search by all engines takes minutes. */
  ranksInFull: 1024,
  /** On more ranks a full search takes long enough to begin with a textbook algorithm, which is kept if the search is stopped. */
  manyRanks: 256,
  /** How many messages per rank, counted by their pieces, that first plan may have. */
  messagesOfFirst: 16,
  /** Operations × bulks of plans that are simulated again, for reports, after a quick search. */
  operationsExamined: 10_000,
  /** Transfers of schedules that are evaluated again, for one line of a report. */
  transfersExamined: 200,
  /** On more ranks it takes a second to evaluate NCCL's rings. */
  ranksOfBaselines: 32,
  /** More sizes make no difference: 10,000 between 1 KiB and 1 GiB are 0.14 % apart. */
  sizesOfTune: 10_000,
} as const;

/** Thresholds of sessions: when searches run in workers, when they first find a quick plan, and which plans are simulated again for reports. */
export const searching = {
  /** Machines with more chips are searched in a worker, where the search can be stopped; on smaller ones it takes next to no time. */
  ranksAtOnce: 8,
  /** The same limit for quick searches. */
  quickRanksAtOnce: 64,
  /** On more ranks searches take long enough to gain from code that V8 optimizes early. */
  ranksToOptimizeLate: 64,
  /** Largest ranks² × chunks of an allgather that is searched for in the calling thread, on machines whose chips are alike and with given bulks. */
  movesAtOnce: 2 ** 16,
  /** More workers than this gain little: each search with another seed is worth less than the one before. */
  workers: 8,
  /** On more ranks a search by all engines takes minutes. */
  ranksInFull: 1024,
  /** On more ranks a full search takes long enough to begin with a textbook algorithm, which is kept if the search is stopped. */
  manyRanks: 256,
  /** Largest number of operations per rank in that first plan. */
  messagesOfFirst: 16,
  /** Operations × bulks of plans that are simulated again, for reports, after a quick search. */
  operationsExamined: 10_000,
  /** Transfers of schedules that are evaluated again, for one line of a report. */
  transfersExamined: 200,
  /** Largest number of ranks for which NCCL's rings are evaluated by default; on more ranks this takes a second. */
  ranksOfBaselines: 32,
  /** More sizes make no difference: 10,000 between 1 KiB and 1 GiB are 0.14 % apart. */
  sizesOfTune: 10_000,
} as const;

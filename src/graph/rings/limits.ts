/** Limits of the search for the best order of a ring. */
export const ringSearchLimits = {
  /** Moves that may be evaluated in total: less than a second. */
  moves: 50_000_000,
  /** Longest run of ranks that an or-opt move relocates. */
  longestRun: 3,
  kicks: 1000,
  /** Cost of applying a move, in move evaluations per rank. */
  workPerMove: 8,
  /** Number of ranks up to which the optimum is computed. */
  ranksExactly: 12,
} as const;

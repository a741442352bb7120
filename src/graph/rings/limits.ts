/** How long the best order of a ring is looked for. */
export const ringSearchLimits = {
  /** Moves that may be looked at in all: below a second. */
  moves: 50_000_000,
  /** Longest run of ranks that or-opt moves elsewhere. */
  longestRun: 3,
  kicks: 1000,
  /** What making a move costs, in moves looked at per rank. */
  workPerMove: 8,
  /** Up to this many ranks the best order is found for certain. */
  ranksExactly: 12,
} as const;

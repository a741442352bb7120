/** How much an explanation of a mistake contains. */
export const reportLimits = {
  /** Contributions to a value, messages over a link in a step, and findings of one check that are written out. */
  contributions: 6,
  /** Operations in the story of a finding. */
  operations: 12,
  /** Leaves of a wrong value that are examined: it may have far more than it should. */
  leaves: 4096,
  /** Early reads that are examined. An early read that is not uninitialised is a data race, so the plan fails anyway. */
  earlyReads: 16,
} as const;

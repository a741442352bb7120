/** How much is told of what is wrong. */
export const reportLimits = {
  /** Contributions, messages over a link in a step, and findings of one rung that are spelt out. */
  contributions: 6,
  /** In a story. */
  operations: 12,
  /** Leaves of a wrong value that are looked at: it may have far more than it should. */
  leaves: 4096,
  /** Early reads that are looked at closely. One that is not uninitialised is a race: the plan fails anyway. */
  earlyReads: 16,
} as const;

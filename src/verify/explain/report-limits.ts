/** Limits on the length of explanations. */
export const reportLimits = {
  /** Contributions to a value, messages over a link in a step, and findings of one check that are listed before the rest is counted. */
  contributions: 6,
  /** Operations in the explanation of a finding. */
  operations: 12,
  /** Leaves of a wrong value that are examined; a wrong value may have far more than the right one. */
  leaves: 4096,
  /** Early reads that are examined. If an early read is not uninitialised it is a data race, so the plan fails anyway. */
  earlyReads: 16,
} as const;

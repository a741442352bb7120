/** Limits of work of the scans engine. */
export const limits = {
  /** Times that all classes of all chunks are put back. */
  passes: 6,
  /** On larger machines, alltoalls have fewer messages one after the other, and on half as large ones packets are too many to write out. */
  ranksPacked: 64,
  /** What chips do for the chunks of a packet is found in the time of so many operations of a plan, for each of theirs. */
  workPerOperation: 0.5,
} as const;

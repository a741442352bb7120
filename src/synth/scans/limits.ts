/** Limits of work of the scans engine. */
export const limits = {
  /** Times that all classes of all chunks are put back. */
  passes: 6,
  /** On larger machines, alltoalls have fewer messages one after the other, and on half as large ones packets are too many to write out. */
  ranksPacked: 64,
  /** What chips do for the chunks of a packet is found in the time of so many operations of a plan, for each of theirs. */
  workPerOperation: 0.5,
  /** Trees that are looked at, by root, and chunks of a packet where some edge is no link. */
  roots: 3,
  /** Children on one side of a rank, at most. */
  children: 2,
  /** Two alltoalls by good ways take so many times as long as if all links carried the same: with 1, trees that are faster are not looked for. */
  unevenness: 1.45,
} as const;

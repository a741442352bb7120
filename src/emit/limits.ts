/** Limits on the size of emitted files, beyond which a plan is rejected or a part is left out. */
export const emitLimits = {
  /** Maximum number of commands, all of which are kept in memory. */
  commands: 2_000_000,
  /** Maximum number of operations in source text, which has a line for each unless they repeat. */
  operations: 200_000,
  /** Maximum number of nodes of all ranks and bulks together. */
  nodes: 4_000_000,
  /** Maximum number of events that viewers display at acceptable speed. */
  events: 2_000_000,
  /** Maximum number of tasks of all ranks and bulks together: each is a line, with further lines for its dependencies. */
  tasks: 8_000_000,
  /** Maximum number of axes of a shape; with more the program would be hard to read. */
  axes: 6,
} as const;

/** How much is written into one file: what has more is refused, or of no use to a reader. */
export const emitLimits = {
  /** More are too many to be kept in memory. */
  commands: 2_000_000,
  /** Operations that a file of source text is still of use for; a line each, where they do not repeat. */
  operations: 200_000,
  /** Nodes of all ranks and bulks together. */
  nodes: 4_000_000,
  /** More events than this are slow to look at. */
  events: 2_000_000,
  /** Tasks of all ranks and bulks together: each is a line, and its dependencies are others. */
  tasks: 8_000_000,
  /** Shapes with more axes than this help nobody to read a program. */
  axes: 6,
} as const;

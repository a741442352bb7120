/** Limits beyond which a plan is rejected as too large to check. */
export const judged = {
  /** Events of all blocks, about one per operation: enough for 16 gpus with 304 full blocks each. */
  events: 500_000,
  /** Accesses of events to memory cells. */
  accesses: 8_000_000,
  /** Pairs of events on one channel, semaphore or packet that several blocks share without a total order. */
  pairs: 2 ** 22,
  /** Cells of a chunk. */
  cells: 4096,
  /**
   * Thread blocks of a gpu. They spin until other blocks have done their part, so that all must be resident: one on each multiprocessor of the
   * largest gpu that the runtime supports (MI300X).
   */
  blocks: 304,
} as const;

/** How much of a plan is judged before it is refused as too large. */
export const judged = {
  /** Events of all blocks, about one for each operation; room for 16 gpus whose 304 blocks are all full. */
  events: 500_000,
  /** Accesses of events to memory cells. */
  accesses: 8_000_000,
  /** Pairs of events of one channel, semaphore or packet that several blocks use without an order of their own. */
  pairs: 2 ** 22,
  /** Cells that a chunk may have. */
  cells: 4096,
  /**
   * Thread blocks of a gpu. They spin until others have done their part, so that all must be resident: one on each
   * multiprocessor of the largest gpu that the runtime supports (MI300X).
   */
  blocks: 304,
} as const;

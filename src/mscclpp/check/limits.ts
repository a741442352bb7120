/** What is looked at of a plan. */
export const judged = {
  /** Events that orders are kept for: each keeps a bit for every other, up to three times. */
  events: 36_000,
  /** Touches of cells that are looked at. */
  accesses: 8_000_000,
  /** Cells that a chunk may have. */
  cells: 4096,
  /** Blocks spin until others have done their part, so that all of a gpu must be resident: one for each multiprocessor of the largest gpu that the runtime supports. */
  blocks: 304,
} as const;

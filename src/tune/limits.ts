/** Limits of the search for plans over all sizes. */
export const tuning = {
  /** A switch point is located within this factor of the size at which both plans take equally long. */
  precision: 1.01,
  /**
   * Longer pipelines are extrapolated, since every further bulk takes as long as the last. Rings are not cut into more
   * segments either: such plans are large and hardly faster.
   */
  bulks: 64,
  /** Pipelines are searched only where this multiple of the best time, or less, could be reached. */
  worthwhile: 0.99,
  /** Engines are queried for intermediate sizes while that gains this share. */
  leastGain: 0.001,
  /** Ratio of the sizes at which pipelines of all plans are searched. */
  coarseRatio: 16,
  /**
   * Between these sizes, pipelines are searched for plans whose time, or estimate, is at most this multiple of the
   * best.
   */
  promising: 1.05,
  /**
   * Schedules with more transfers are estimated before they are lowered; smaller ones are always timed, for comparison.
   */
  fewTransfers: 10_000,
} as const;

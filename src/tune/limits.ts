/** How far plans are looked for at each size. */
export const tuning = {
  /** A switch point lies within this factor of the size at which the two plans take equally long. */
  precision: 1.01,
  /** Longer pipelines are not simulated to their end: every further bulk takes as long as the last. Nor are rings cut into more segments: such plans are large and hardly faster. */
  bulks: 64,
  /** Pipelines are looked for only where this share of the best time, or less, could be reached. */
  worthwhile: 0.99,
  /** Engines are asked on for sizes near each other while that gains this share. */
  leastGain: 0.001,
  /** Pipelines of all plans are looked for at sizes of this ratio, if there are as many. */
  coarseRatio: 16,
  /** Between these sizes pipelines are looked for of plans that take at most so many times the best time there, or are estimated to. */
  promising: 1.05,
  /** Schedules with more transfers are looked at before they are lowered; the others are there to compare with, good or not. */
  fewTransfers: 10_000,
} as const;

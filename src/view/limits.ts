/** Limits on what is drawn of a plan. */
export const viewLimits = {
  /** Passes over the lanes of a plan without a simulation: programs that wait for each other in a cycle would delay each other for ever. */
  passes: 64,
  /** The most tracks of a row of the timeline. Overlapping spans go to different tracks; when all are occupied, they share the last one. */
  parts: 4,
  /** The most certificates that are shown. They are sorted, so that the others prove weaker bounds. */
  certificates: 8,
  /** Limits on operations, summed over all bulks: above the first no timeline is drawn, above the second the use of links is not computed either. */
  instances: 4_000_000,
  simulated: 16_000_000,
} as const;

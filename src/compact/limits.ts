/** Limits of compact plans. */
export const compact = {
  /**
   * Ranks beyond which the loads of layers are not balanced exactly: a few surplus chunks on some link are negligible.
   */
  ranksWithCare: 4096,
  /** Links per chip: sets of them are stored as bits. */
  generators: 31,
} as const;

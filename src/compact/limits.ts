/** What compact plans are made of. */
export const compact = {
  /** With more ranks, the few chunks too many that some link of a layer carries weigh next to nothing. */
  ranksWithCare: 4096,
  /** Links per chip: sets of them are kept as bits. */
  generators: 31,
} as const;

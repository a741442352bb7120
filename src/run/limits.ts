/** How runs wait, and what they make up. */
export const runs = {
  /** How many tables are kept: they are asked for in the order of the shards. */
  tables: 8,
  /** Milliseconds without any progress after which a run is given up. */
  patience: 10_000 as number,
  /** Looks at a word before a thread goes to sleep; each takes some nanoseconds, waking up takes some microseconds. */
  spins: 4000,
  /** Different values in the inputs of pairs. */
  pairValues: 5,
  /** How often the exact inputs of a product may double it: well within every type's exponents. */
  doublings: 6,
  /** How many lanes an error shows. */
  lanesShown: 4,
} as const;

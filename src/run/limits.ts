/** Parameters of runs. */
export const runs = {
  /** Number of tables of expected values in the cache; shards request them in order. */
  tables: 8,
  /** Milliseconds without progress after which a run is stopped. */
  patience: 10_000 as number,
  /** How often a thread tests a word before it sleeps: a test takes some nanoseconds, waking up takes some microseconds. */
  spins: 4000,
  /** Number of different values in the inputs of pairs. */
  pairValues: 5,
  /** How many ranks may contribute a factor of 2 to the exact input of a product: the result stays within the exponents of every type. */
  doublings: 6,
  /** Maximum number of lanes that an error message lists. */
  lanesShown: 4,
} as const;

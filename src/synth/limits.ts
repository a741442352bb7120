/** Limits of work that engines share. They limit what is searched, and do not judge what is good. */

/**
 * Numbers of ranks up to which something is computed; beyond them it takes seconds to minutes, and other engines find a
 * plan sooner.
 */
export const maxRanksFor = {
  /**
   * Work that grows with the cube of the ranks: trees over rows, chains and trees of scans. At this number it takes a
   * fifth of a second.
   */
  cubes: 128,
  /** Schedules with any number of messages: beyond this number of ranks few messages matter more than time. */
  messages: 256,
  /** Two alltoalls around a local scan, and nested runs of ranks. */
  alltoalls: 512,
  /** Trees packed for packets, routes from every central chip, distinguishable tokens. */
  packings: 1024,
  /** Linear programs over all messages or chunks, and thorough searches for one level of a hierarchy. */
  programs: 16,
  /** Maximum rates of all ranks, which take one maximum flow from each rank to every other. */
  flows: 2048,
  /** Collectives with a single source: broadcasts that cut the message as finely as suits the size. */
  sources: 4096,
} as const;

/**
 * Messages of an algorithm on more ranks than `messages`, or of one that is built for comparison: more take long to
 * evaluate.
 */
export const maxMessages = 2 ** 17;

/** Consecutive failures after which a search ends (numbers of rounds, small chunks to remove). */
export const maxFailures = 3;

/** Randomised attempts of one search. */
export const maxAttempts = 64;

/** Shapes (grids of extents) in which a machine is tried; only highly composite numbers of ranks have more. */
export const maxShapes = 1024;

/** Maximum ratio of link bandwidths that is expressed in small integers. */
export const maxCapacityRatio = 16;

/** Maximum chunks per shard: items, or trees, that would need more get the nearest whole number of them. */
export const maxChunksPerShard = 360;

/** Relative differences below this are ignored: loads, widths, shares that are rounded up. */
export const relativeTolerance = 0.01;

/**
 * How many of these take as long as one operation of a plan, the unit in which searches count their work
 * (`ShouldStop`).
 */
export const perOperation = {
  /** Pairs of route and item in continuous time. */
  ways: 60,
  /** Arcs and ranks visited by route searches. */
  arcs: 350,
  /** Arcs visited by maximum flows. */
  arcsOfFlows: 2000,
} as const;

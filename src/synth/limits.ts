/** Limits of work that engines share. None of them says what is good: only what is looked at, and what that costs. */

/** Ranks up to which something is made; with more of them it takes seconds to minutes, and others find a plan sooner. */
export const maxRanksFor = {
  /** What grows with the cube of the ranks: trees over rows, chains and trees of scans. A fifth of a second for so many. */
  cubes: 128,
  /** Any number of messages: beyond, few of them count for more than time. */
  messages: 256,
  /** Two alltoalls around a local scan, and runs of ranks in runs. */
  alltoalls: 512,
  /** Trees that are packed for packets, ways from every central chip, tokens that are told apart. */
  packings: 1024,
  /** Linear programs over all messages, or all chunks; searches for a level of a hierarchy that are not quick. */
  programs: 16,
  /** The greatest rate of all ranks: a flow from each to every other. */
  flows: 2048,
  /** What has one source: broadcasts cut as finely as suits the size. */
  sources: 4096,
} as const;

/** Messages of an algorithm among more ranks than `messages`, or of one that is made to compare: more take long to price. */
export const maxMessages = 2 ** 17;

/** What is tried in vain, one after the other, before a search ends: numbers of rounds, small chunks to be left out. */
export const maxFailures = 3;

/** Attempts at random of one search. */
export const maxAttempts = 64;

/** Shapes that a machine is tried in; only highly composite numbers of ranks have more. */
export const maxShapes = 1024;

/** Links that are more than so many times as wide as others are no small multiples of them. */
export const maxCapacityRatio = 16;

/** More chunks than this are not worth their names: then items, or trees, get the nearest whole number of them. */
export const maxChunksPerShard = 360;

/** What is better by less than this part is not told apart: loads, widths, shares that are rounded up. */
export const relativeTolerance = 0.01;

/** How many of these take as long as one operation of a plan: that is how searches count their work (`ShouldStop`). */
export const perOperation = {
  /** Ways and items in continuous time. */
  ways: 60,
  /** Arcs and ranks of routes. */
  arcs: 350,
  /** Arcs that maximum flows look at. */
  arcsOfFlows: 2000,
} as const;

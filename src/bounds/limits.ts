/** Limits of the searches for bounds. None of them makes a bound wrong; a smaller limit can only make it weaker. */
export const searched = {
  /** Contributions of a custom collective; larger ones get no such bound. */
  contributions: 500_000,
  /** Ranks beyond which this bound is computed only if all chips are alike. */
  straightRanks: 512,
  /** Thresholds of distance and of bandwidth from which sets of chips are formed. */
  thresholds: 12,
  /**
   * Ranks beyond which allreduces and scans are not examined root by root: other bounds are better there, and this one
   * is expensive.
   */
  rootRanks: 1024,
  /** Turns in which messages are relayed, and messages that wait for copies. */
  turns: 10_000,
  /** Values of B/γ that are tried as prices. */
  prices: 16,
  /** Budget of the local search for cuts, in links and demands visited. */
  improvedWork: 3_000_000,
  improvedStarts: 100,
  /** On machines of more nodes the refinement of a cut moves single nodes only: trying to swap pairs would use up the whole budget. */
  nodesToExchange: 80,
  /** Nodes up to which all sides are enumerated. */
  nodesForAllSides: 12,
  /** Number of the best sides that are returned. */
  sides: 6,
  /** Ranks up to which all runs of consecutive ranks are tried as cuts. */
  ranksForRuns: 64,
  /** Ranks beyond which only as many, evenly spaced, are tried one by one. */
  ranksAlone: 1024,
  /**
   * Nodes up to which the senders over each link are determined from all pairs; on larger machines all ranks may send
   * over all links.
   */
  nodesForSenders: 128,
  /** Interleaved sets from which the local search starts. */
  interleavedStarts: 4,
  /** Passes over all ranks of that local search. */
  interleavedPasses: 8,
  /** Budget of one search for a tightest cut, in arcs visited: less than half a second. */
  cutWork: 8_000_000,
} as const;

/** Limits of the searches for link lengths. */
export const weighing = {
  /** Budget of the simplex method for scans, in links and triples of ranks visited. */
  scanSimplexWork: 8_000_000,
  scanSteps: 1000,
  /** Simplex steps per link that suffice to come near the best lengths. If the budget allows fewer, the method is skipped. */
  stepsPerLink: 3,
  /** Rounds after which the search ends unless it has beaten the bound known before. */
  scanTrial: 20,
  /** Initial step size of multiplicative weights (weights.ts). */
  scanPace: 6,
  /** Share of the past loads that each round keeps. */
  remembered: 0.7,
  /** The smaller, the sooner the step size decreases. */
  slowness: 8,
  /** Budget of the search for trees, in links and ranks visited, and as much again for partitions. */
  treeWork: 2_000_000,
  trees: 300,
  /** Trees without improvement after which the search ends. */
  treePatience: 40,
  /** Trees between two evaluations of lengths; partitions are evaluated half as often. */
  treesBetweenLooks: 10,
  longest: 1000,
  /** Budget of the whole search, in links visited. */
  routingWork: 1_000_000,
  routingRounds: 20,
  /** Rounds without improvement after which the search ends. */
  routingPatience: 8,
  /**
   * Initial step size of multiplicative weights (weights.ts); smaller changes than for scans, since ties share the
   * load.
   */
  routingPace: 12,
  /** Budget of the whole search, in pairs of ranks and entries of the simplex tableau. */
  routeWork: 20_000_000,
} as const;

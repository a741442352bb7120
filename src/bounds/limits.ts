/** How far bounds are looked for: none of it makes a bound wrong, only weaker. */
export const searched = {
  /** Contributions that are looked through; of larger collectives nothing is said. */
  contributions: 500_000,
  /** On machines of more ranks the bound is looked for only if their chips are alike. */
  straightRanks: 512,
  /** Distances and bandwidths that sets of chips are made from. */
  thresholds: 12,
  /** On machines of more ranks allreduces and scans have more to say in other ways, and much to look at in this one. */
  rootRanks: 1024,
  /** Turns in which messages are handed on, and messages that wait for copies. */
  turns: 10_000,
  /** Chips whose B/γ are tried as prices. */
  prices: 16,
  /** Nodes that are tried on the other side, in what each looks at: links and demands. */
  improvedWork: 3_000_000,
  improvedStarts: 100,
  /** Of larger machines exchanges would take the whole of that. */
  nodesToExchange: 80,
  /** Machines of so many nodes have few enough sides to look at all. */
  nodesForAllSides: 12,
  /** Sides with the highest rate that are returned. */
  sides: 6,
  /** Up to this many ranks, all runs of neighbouring ranks are cuts to look at. */
  ranksForRuns: 64,
  /** Of more ranks, as many as this are looked at one by one, evenly spread. */
  ranksAlone: 1024,
  /** Nodes of machines on which all pairs are looked at for each link; on larger ones all ranks may send over all links. */
  nodesForSenders: 128,
  /** Sets that are improved. */
  interleavedStarts: 4,
  /** Times that all ranks are tried on the other side. */
  interleavedPasses: 8,
  /** Work of one search for a tightest cut, in arcs looked at: less than half a second. */
  cutWork: 8_000_000,
} as const;

/** How lengths of links are looked for, by which bounds are proved. */
export const weighing = {
  /** Links and triples of ranks looked at in the whole search by the simplex method. */
  scanSimplexWork: 8_000_000,
  scanSteps: 1000,
  /** Steps for each link with which the simplex method is sure to come near the best lengths, and without which it has no chance to. */
  stepsPerLink: 3,
  /** After so many rounds what was known before is to be beaten, or it will not be. */
  scanTrial: 20,
  /** How fast weights change at first (weights.ts). */
  scanPace: 6,
  /** How much of what crossed before counts beside what crosses now. */
  remembered: 0.7,
  /** The less, the sooner weights change less. */
  slowness: 8,
  /** Links and ranks looked at in the search for trees, and as many again for parts. */
  treeWork: 2_000_000,
  trees: 300,
  /** Trees without better lengths before the search ends. */
  treePatience: 40,
  /** Trees after which lengths are looked at, and twice as many for the parts that they leave. */
  treesBetweenLooks: 10,
  longest: 1000,
  /** Links looked at in the whole search. */
  routingWork: 1_000_000,
  routingRounds: 20,
  /** Rounds without better lengths before the search ends. */
  routingPatience: 8,
  /** How fast weights change at first (weights.ts): more evenly than those of scans, as ways are shared. */
  routingPace: 12,
  /** Pairs of ranks and entries of the simplex method that are looked at in the whole search. */
  routeWork: 20_000_000,
} as const;

/** How parameters are fitted, and when they are believed. */
export const fitting = {
  /** Sizes of each configuration that the starts are tried on. */
  sizesOfStarts: 3 as number,
  roundsOfStarts: 2,
  /** Sizes of each configuration that are fitted: neighbours tell nearly the same. */
  mostSizes: 10,
  /** Operations of the plans of all times that are fitted, beyond which fewer sizes are: each round simulates them a dozen times. */
  mostOperations: 400_000,
  rounds: 12,
  roundsAgain: 3,
  /** Parameters whose standards make the fit worse by more than this part do matter. */
  leastGrowth: 0.03,
  /** A configuration tells what it takes for no bytes, for each byte more, and somewhere between them what waits for what. */
  toldByEach: 3,
  /** Links alone have few numbers, and soon fit as well as they can. */
  roundsOfPlain: 5,
  /** A fit that misses half of its own times by more than this explains nothing. */
  unexplained: 0.5,
  /** Parts of the configurations, each left out once. */
  mostFolds: 5,
  /** Values fitted without a fold are so near to the others: further away the known pieces may not hold. */
  foldReach: 4,
  foldSteps: 4,
  /** Pieces that are far below the longest have no say in a step of the linear program. */
  sayFrom: 0.3,
  /** Each round may move every value by this factor at first. */
  firstReach: 4 as number,
  /** Rounds that may move values by less than this factor are over. */
  leastReach: 1.02,
  /** Linear programs of one round: each is right near where the one before ended. */
  stepsPerRound: 8,
  /** How far one of them goes. */
  stepReach: 1.5,
  /** No value is further from its standard than this factor. */
  widest: 100,
  /** So many times as long as both its neighbours is no property of a plan. */
  spike: 5,
  /** No plan takes that much longer for less: it sees spikes whose neighbour is one too, or is twice as large and takes half as long. */
  downhill: 1.5,
  /** Fewer plans have no order to speak of. */
  leastInOrder: 3,
} as const;

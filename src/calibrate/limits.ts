/** Tuned numbers of the fit: sizes that are fitted, tolerances, and when a parameter counts as determined. */
export const fitting = {
  /** Sizes of each configuration on which the start values are tried. */
  sizesOfStarts: 3 as number,
  roundsOfStarts: 2,
  /** The most sizes of each configuration that are fitted: neighbouring sizes add hardly any information. */
  maxSizes: 10,
  /** The most operations in the plans of all fitted times; if there are more, fewer sizes are fitted, since each round simulates them a dozen times. */
  maxOperations: 400_000,
  rounds: 12,
  roundsAgain: 3,
  /** A parameter matters if keeping its standard value increases the error by more than this share. */
  minGrowth: 0.03,
  /** Parameters that one configuration can determine: its latency, its time per byte, and one more from the sizes where the critical path changes. */
  parametersPerConfiguration: 3,
  /** Rounds for the model of links alone, which has few parameters and converges soon. */
  roundsOfPlain: 5,
  /** A fit whose median error on its own times is larger than this is rejected. */
  unexplained: 0.5,
  /** The most folds of the cross-validation. */
  maxFolds: 5,
  /** Values fitted without a fold stay within this factor of the overall fit, since the known linear pieces may not hold further away. */
  foldReach: 4,
  foldSteps: 4,
  /**
   * A measured point has several affine pieces, the longest of which is its time. Pieces of less than this share of that time are left out of
   * the linear program, since no small change of the parameters makes them the longest.
   */
  minPieceShare: 0.3,
  /** The first trust region: the factor by which a round may change every value. */
  firstReach: 4 as number,
  /** The smallest trust region: the fit ends when a round may change values by less than this factor. */
  minReach: 1.02,
  /** Linear programs per round: each is linearised where the previous one ended, and is accurate near there. */
  stepsPerRound: 8,
  /** The factor by which one linear program may change a value. */
  stepReach: 1.5,
  /** The factor by which a value may differ from its standard at most. */
  widest: 100,
  /** A time this many times as long as those of both neighbouring sizes is an outlier. */
  spike: 5,
  /** A time this many times as long as that of a larger size is an outlier: that finds outliers whose neighbours are outliers, too. */
  downhill: 1.5,
  /** The fewest plans of a race for which a rank correlation is computed. */
  minPlansInRace: 3,
} as const;

/** Limits on the work of the estimators of pipelines. */
export const followed = {
  /** Maximum number of operations × bulks of a run whose reductions are examined for overlap. */
  instances: 200_000,
  /**
   * Maximum number of operations × bulks that are simulated to measure the time between bulks, and the maximum and minimum number of bulks of the
   * shorter one of the two runs.
   */
  simulated: 400_000,
  mostFill: 24,
  leastFill: 4,
  /** Maximum number of operations of a plan whose dependencies between bulks are analysed. */
  operations: 20_000,
} as const;

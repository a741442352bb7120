/** How long jobs and their callers wait for each other, in milliseconds. */
export const milliseconds = {
  /** Least time between two progress texts of a worker: nobody reads faster. */
  betweenProgress: 100,
  /** A job that is told to stop answers within this time; a job that is in the middle of a long step (a proof, say) is terminated after it. */
  grace: 120,
  /** Additional time for a job that has no result yet when it is stopped. */
  patience: 1000,
  /** No limit, however short, stops a job without a result before it has had this much time, on the clock and of the processor. */
  leastTime: 3000,
  /** Least time between two partial results of a tuning job, which take simulations to make. */
  betweenResults: 1000,
  /** Amount of work that pays for starting workers: each has to load the same code and warm it up, which takes most of a second. */
  beforeWorkers: 1500 as number,
} as const;

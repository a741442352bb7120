/** How long the shell waits, in milliseconds. */
export const patienceMilliseconds = {
  /** Between two words on progress: nobody reads faster. */
  betweenWords: 100,
  /** A job answers so soon when it is told to end; one that does not (it may be in the middle of a proof) is ended. */
  grace: 120,
  /** Where nothing has been found when the time is up, or on Ctrl-C, it may take so much more. */
  patience: 1000,
  /** From the start of the process before which no limit, however short, leaves the user with nothing; of its own CPU time, too. */
  leastTime: 3000,
  /** From one partial answer to the next, at least. */
  betweenAnswers: 1000,
  /** Editors write a file in several steps. */
  settling: 60,
  /** Work after which workers pay: each has to load and warm up the same code again, most of a second of work. */
  beforeWorkers: 1500 as number,
} as const;

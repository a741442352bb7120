import type { NamedModel } from './workers/job-control.ts';
import type { JobSettings } from './workers/job-settings.ts';

/** Options to watch and to end work that may take long. */
export interface JobOptions {
  /**
   * Ends the search, with the best result so far. The signal does not reach work that runs in the calling thread (short work, or if there are no
   * workers).
   */
  readonly signal?: AbortSignal | undefined;
  /** Ends the search after this many milliseconds, and keeps all processors busy until then unless the plan is at its bound. */
  readonly timeLimit?: number | undefined;
  /** The instant from which the time limit counts, on the clock of `performance.now()`; default: now. */
  readonly startedAt?: number | undefined;
  /** Called with what the search is doing, in a few words. */
  readonly onProgress?: ((text: string) => void) | undefined;
  /** Called when workers take over: from now on the calling thread is free, and the signal has an effect. */
  readonly onWorkers?: (() => void) | undefined;
  /** Called when the search is told to end; `hasResult` says whether it has found anything yet. */
  readonly onStopping?: ((hasResult: boolean) => void) | undefined;
  /** Called with each linear model before it is solved. */
  readonly onModel?: ((model: NamedModel) => void) | undefined;
}

/** Returns the settings of a job for these options. @param costOf the value by which results are compared; smaller is better */
export function settingsOf<Result>(
  { timeLimit, startedAt = performance.now(), ...callbacks }: JobOptions,
  costOf?: (result: Result) => number,
  onResult?: (result: Result) => void,
): JobSettings<Result> {
  const { signal, onProgress, onWorkers, onStopping, onModel } = callbacks;
  const deadline = timeLimit === undefined ? undefined : startedAt + timeLimit;
  return { signal, deadline, timeLimit, costOf, onProgress, onResult, onWorkers, onStopping, onModel };
}

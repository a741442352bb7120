import type { NamedModel } from './job-control.ts';

/** How a job runs, and the callbacks that it calls. */
export interface JobSettings<Result> {
  /** Stops the job, which then ends with the best result so far. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds on the clock of `performance.now()` at which the job is stopped. */
  readonly deadline?: number | undefined;
  /** The whole time limit in milliseconds, for messages and for how long a first result is waited for. */
  readonly timeLimit?: number | undefined;
  /** The job takes too little time to be worth a worker: it runs in the calling thread, where no signal reaches it. */
  readonly isShort?: boolean | undefined;
  /** How many workers do the job, each with its own seeds; 1 if left out. */
  readonly workers?: number | undefined;
  /** The value by which results are compared; smaller is better. */
  readonly costOf?: ((result: Result) => number) | undefined;
  /** Called with what the job is doing, for a progress line. */
  readonly onProgress?: ((text: string) => void) | undefined;
  /** Called with each result that is better than all before. */
  readonly onResult?: ((result: Result) => void) | undefined;
  /** Called when workers have started: from now on the calling thread is free. */
  readonly onWorkers?: (() => void) | undefined;
  /** Called when the job is asked to stop; `hasResult` says whether it has a result yet. */
  readonly onStopping?: ((hasResult: boolean) => void) | undefined;
  /** Called with each linear model before it is solved. */
  readonly onModel?: ((model: NamedModel) => void) | undefined;
}

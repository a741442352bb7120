/**
 * A job is a search that may take long and that can run in a worker thread. The caller can stop it at any time and gets the best result so far.
 * Requests and results cross between threads by `postMessage`, so they are plain data without functions and class instances.
 */
import type { LinearModel } from '../../solver/index.ts';

/** A linear model that a job has passed to a solver, with a description for users. */
export interface NamedModel {
  readonly model: LinearModel;
  readonly name: string;
}

/** The channel between a running job and its caller. */
export interface JobControl<Result> {
  /** Number of this worker, from 0: several workers do the same job with different random seeds. */
  readonly index: number;
  /** How many workers do the job. */
  readonly workers: number;
  /** Whether the job is to end with what it has found so far. Jobs ask often; the answer never goes back to false. */
  shouldStop(): boolean;
  /** Reports what the job is doing, in a few words for a progress line. */
  onProgress(text: string): void;
  /** Reports a result that is better than all before. If the job is terminated, the caller keeps the last one reported. */
  onResult(result: Result): void;
  /** Reports each linear model before it is solved. */
  onModel(model: LinearModel, name: string): void;
}

export type Job<Request, Result> = (request: Request, control: JobControl<Result>) => Promise<Result>;

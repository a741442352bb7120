/**
 * Searches that may take long, as the command line runs them: in a worker thread, so that progress is shown, and that Ctrl-C and
 * `--time-limit` end them with the best so far whatever they are at. What is asked of a job, and what it answers, goes from one
 * thread to the other: data without functions.
 */
import type { LinearModel } from '../../solver/index.ts';

/** A linear model that a solver has been given, and what it stands for. */
export interface NamedModel {
  readonly model: LinearModel;
  readonly name: string;
}

/** How a job hears that it is to end, and how it is heard. */
export interface JobControl<Result> {
  /** Of several workers that do the same job with other seeds this is number `index`, from 0. */
  readonly index: number;
  readonly workers: number;
  /** True when it is to end with what it has; asked again and again. */
  shouldStop(): boolean;
  /** What it is at, in a few words. */
  onProgress(text: string): void;
  /** What it would answer if it had to end now: said each time that it gets better, and kept if the job has to be ended by force. */
  onResult(result: Result): void;
  /** Told every model before it is solved. */
  onModel(model: LinearModel, name: string): void;
}

export type Job<Request, Result> = (request: Request, control: JobControl<Result>) => Promise<Result>;

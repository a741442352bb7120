/** Runs the long work of a command: shows a progress line, handles Ctrl-C, and keeps the last linear model if the user asked for it. */
import { constants as system } from 'node:os';
import type { JobOptions } from '../../session/job-options.ts';
import type { NamedModel } from '../../session/workers/job-control.ts';
import { type ProgressLine, progressLine } from './progress.ts';

/** The first of these signals ends the work with its best result so far; the second one ends the process. */
const endings = ['SIGINT', 'SIGTERM'] as const;

export interface WatchOptions {
  /** Limit in milliseconds, counted from the start of the process. */
  readonly timeLimit?: number | undefined;
  /** Shows progress even where standard error is no terminal. */
  readonly progress?: boolean | undefined;
  /** Called when the work has ended, however it did, with the last linear model that was solved, or undefined if there was none. */
  readonly onLastModel?: ((last: NamedModel | undefined) => Promise<void>) | undefined;
}

/** Runs work that may take long. @param work receives the options by which it is watched and ended */
export async function interruptible<Result>(
  { timeLimit, progress, onLastModel }: WatchOptions,
  work: (options: JobOptions) => PromiseLike<Result>,
): Promise<Result> {
  const line = progressLine(progress === true);
  const interrupts = new Interrupts(line);
  let last: NamedModel | undefined;
  const keepModel = (model: NamedModel): void => {
    last = model;
  };
  try {
    return await work({
      signal: interrupts.signal,
      timeLimit,
      startedAt: 0,
      onProgress: line.isShown ? line.show : undefined,
      onWorkers: () => interrupts.listen(),
      onStopping: (hasResult) => {
        if (hasResult) line.show('stopping with the best result so far');
        else line.show('stopping with the first result found within a second; Ctrl-C again stops at once');
      },
      onModel: onLastModel === undefined ? undefined : keepModel,
    });
  } finally {
    interrupts.ignore();
    line.clear();
    await onLastModel?.(last);
  }
}

/** Handles Ctrl-C, and the SIGTERM that batch schedulers and `timeout` send. */
class Interrupts {
  private readonly controller = new AbortController();
  private readonly line: ProgressLine;

  constructor(line: ProgressLine) {
    this.line = line;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /**
   * Starts handling the signals. This is called only once workers do the work: without workers nothing could stop it but the end of the process,
   * which is what unhandled signals cause.
   */
  listen(): void {
    for (const signal of endings) process.on(signal, this.handle);
  }

  ignore(): void {
    for (const signal of endings) process.off(signal, this.handle);
  }

  private readonly handle = (signal: (typeof endings)[number]): void => {
    if (this.signal.aborted) {
      this.line.clear();
      process.exit(128 + system.signals[signal]);
    }
    this.controller.abort();
  };
}

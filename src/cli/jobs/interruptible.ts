/** Long work of a command: its progress line, Ctrl-C, and the linear models that the user wants to keep. */
import { constants as system } from 'node:os';
import type { JobOptions } from '../../session/job-options.ts';
import type { NamedModel } from '../../session/workers/job-control.ts';
import { type ProgressLine, progressLine } from './progress.ts';

/** The first of these signals ends the work with its best result so far, the second one ends the process. */
const endings = ['SIGINT', 'SIGTERM'] as const;

export interface WatchOptions {
  /** Milliseconds from the start of the process. */
  readonly timeLimit?: number | undefined;
  /** Shows progress even where standard error is no terminal. */
  readonly progress?: boolean | undefined;
  /** Called with the last linear model that was solved, if there was one, however the work ended. */
  readonly onLastModel?: ((last: NamedModel | undefined) => Promise<void>) | undefined;
}

/** Does work that may take long. @param work given what it is to be watched and ended by */
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
        if (hasResult) line.show('ending with the best so far');
        else line.show('to end with what is found within a second; Ctrl-C ends at once');
      },
      onModel: onLastModel === undefined ? undefined : keepModel,
    });
  } finally {
    interrupts.ignore();
    line.clear();
    await onLastModel?.(last);
  }
}

/** Ctrl-C, and what schedulers and `timeout` send in its place. */
class Interrupts {
  private readonly controller = new AbortController();
  private readonly line: ProgressLine;

  constructor(line: ProgressLine) {
    this.line = line;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Without workers nothing could end the work but the end of the process, which is what signals do unless they are handled. */
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

/** Workers that do a job, so that this thread is free to listen and can end it at any moment. */
import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { CccError } from '../../ir/diagnostic.ts';
import { formatSeconds } from '../../ir/units.ts';
import { listenForEnding } from './ending.ts';
import { WorkerResults } from './findings.ts';
import type { NamedModel } from './job.ts';
import { errorFrom, type JobAssignment, type Report } from './messages.ts';
import type { ProgressLine } from './progress.ts';
import type { JobName, RequestOf, ResultOf } from './registry.ts';
import { received, sendable } from './transfer.ts';

export interface CrewSettings<Result> {
  /** Milliseconds from the start of the process after which the job is to end with what it has. */
  readonly timeLimit: number | undefined;
  /** How many workers do it, each told which one it is. */
  readonly workers: number;
  /** Of several results the one with the least is taken. */
  readonly costOf: (result: Result) => number;
  readonly line: ProgressLine;
  /** Told the models that are solved. */
  readonly onModel: ((model: NamedModel) => void) | undefined;
}

/** Beside this file when it is compiled, beside the command when it is bundled. */
const workerFile = new URL('./job-worker.js', import.meta.url);

/** Sources that were not built have no workers. */
export function canStartJobWorkers(): boolean {
  return existsSync(workerFile);
}

export class WorkerPool<Name extends JobName> {
  private readonly settings: CrewSettings<ResultOf<Name>>;
  private readonly findings: WorkerResults<ResultOf<Name>>;
  private readonly stop = new SharedArrayBuffer(4);
  private readonly workers: readonly Worker[];
  private isEnding = false;
  /** The workers were told to end, and have had the time to answer. */
  private anythingWillDo = false;

  constructor(name: Name, request: RequestOf<Name>, settings: CrewSettings<ResultOf<Name>>) {
    const { stop } = this;
    const { workers, costOf, onModel } = settings;
    this.settings = settings;
    this.findings = new WorkerResults(workers, costOf);
    const sent = sendable(request);
    this.workers = Array.from({ length: workers }, (_, index) => {
      const wantsModels = onModel !== undefined;
      const assignment: JobAssignment<Name> = { name, request: sent, stop, index, workers, wantsModels };
      return new Worker(workerFile, { workerData: assignment });
    });
  }

  /**
   * The best that the workers find. The first Ctrl-C ends the job with the best so far, the second ends the process.
   * @throws CccError what the job throws; 'stopped' when nothing was found in time, or soon after Ctrl-C, or when memory ran out
   */
  async result(): Promise<ResultOf<Name>> {
    const { findings, workers, settings } = this;
    let stopListening = (): void => {};
    try {
      await new Promise<void>((resolve, reject) => {
        const settle = (): void => {
          if (findings.isComplete || (this.anythingWillDo && !findings.isEmpty)) resolve();
        };
        stopListening = listenForEnding(settings.timeLimit, {
          onEnd: () => this.end(),
          onGraceOver: () => {
            this.anythingWillDo = true;
            settle();
          },
          // What workers have said by now is heard first.
          onPatienceOver: () => setImmediate(() => reject(nothingFound(settings.timeLimit))),
          onAbort: () => settings.line.clear(),
        });
        workers.forEach((worker, index) => {
          worker.on('message', (report: Report<Name>) => {
            this.hear(report, index);
            settle();
          });
          worker.on('error', (error) => {
            if (!ranOutOfMemory(error)) return reject(error);
            findings.failed(index, new CccError('stopped', 'the search needs more memory than there is for it'));
            settle();
          });
          worker.on('exit', (code) => {
            if (!findings.hasFinished(index)) reject(new Error(`a worker ended with ${code} before it had an answer`));
          });
        });
      });
      return received(findings.answer());
    } finally {
      stopListening();
      await Promise.all(workers.map((worker) => worker.terminate()));
    }
  }

  private end(): void {
    this.isEnding = true;
    Atomics.store(new Int32Array(this.stop), 0, 1);
    const { line } = this.settings;
    if (this.findings.isEmpty) line.show('to end with what is found within a second; Ctrl-C ends at once');
    else line.show('ending with the best so far');
  }

  private hear(report: Report<Name>, index: number): void {
    const { line, onModel } = this.settings;
    switch (report.kind) {
      case 'progress':
        // Of several workers one is enough to watch.
        if (index === 0 && !this.isEnding) line.show(report.text);
        return;
      case 'model':
        onModel?.(report.model);
        return;
      case 'best':
      case 'done':
        this.findings.found(index, report.result, report.kind === 'done');
        return;
      case 'failed':
        this.findings.failed(index, errorFrom(report.error));
    }
  }
}

function nothingFound(timeLimit: number | undefined): CccError {
  const isOver = timeLimit !== undefined && performance.now() >= timeLimit;
  const when = isOver ? `within the time limit of ${formatSeconds(timeLimit / 1000)}` : 'before the search was ended';
  return new CccError('stopped', `nothing was found ${when}`);
}

function ranOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** Workers that do a job together, so that the calling thread stays free and can stop them at any moment. */
import { CccError } from '../../ir/diagnostic.ts';
import { formatSeconds } from '../../ir/units.ts';
import { watchForEnding } from './ending.ts';
import { WorkerResults } from './findings.ts';
import type { JobSettings } from './job-settings.ts';
import { type Assignment, errorFrom, type Report } from './messages.ts';
import type { RunningWorker, WorkerHost } from './worker-host.ts';

export class Crew<Request, Result> {
  private readonly settings: JobSettings<Result>;
  private readonly host: WorkerHost;
  private readonly assignments: readonly Assignment<Request>[];
  private readonly findings: WorkerResults<Result>;
  private readonly stopFlag = new SharedArrayBuffer(4);
  private isStopping = false;
  /** The workers were told to stop and have had time to answer: the best result reported so far is taken. */
  private isGraceOver = false;

  constructor(name: string, request: Request, settings: JobSettings<Result>, host: WorkerHost) {
    const { workers = 1, costOf = () => 0, onModel } = settings;
    this.settings = settings;
    this.host = host;
    this.findings = new WorkerResults(workers, costOf);
    const stop = this.stopFlag;
    const wantsModels = onModel !== undefined;
    this.assignments = Array.from({ length: workers }, (_, index) => {
      return { name, request, stop, index, workers, wantsModels };
    });
  }

  /**
   * The best result of all workers.
   * @throws CccError as the job; 'stopped' if nothing was found before the time limit, soon after the signal, or before memory ran out
   */
  async result(): Promise<Result> {
    const { findings, settings, host } = this;
    const running: RunningWorker[] = [];
    let stopWatching = (): void => {};
    try {
      await new Promise<void>((resolve, reject) => {
        const settle = (): void => {
          if (findings.isComplete || (this.isGraceOver && !findings.isEmpty)) resolve();
        };
        const { signal, deadline, timeLimit } = settings;
        const cpuMilliseconds = (): number => host.cpuMilliseconds();
        stopWatching = watchForEnding(
          { signal, deadline, timeLimit, cpuMilliseconds },
          {
            onStop: () => this.stop(),
            onGraceOver: () => {
              this.isGraceOver = true;
              settle();
            },
            // Messages that have arrived by now are handled first.
            onPatienceOver: () => setTimeout(() => reject(this.nothingFound()), 0),
          },
        );
        this.assignments.forEach((assignment, index) => {
          const worker = host.start<Request, Result>(assignment, {
            onReport: (report) => {
              this.handle(report, index);
              settle();
            },
            onCrash: (error, isOutOfMemory) => {
              if (!isOutOfMemory) return reject(error);
              findings.failed(index, new CccError('stopped', 'the search needs more memory than there is for it'));
              settle();
            },
            onExit: (code) => {
              if (!findings.hasFinished(index))
                reject(new Error(`a worker ended with ${code} before it had an answer`));
            },
          });
          running.push(worker);
        });
      });
      return findings.answer();
    } finally {
      stopWatching();
      await Promise.all(running.map((worker) => worker.terminate()));
    }
  }

  private stop(): void {
    this.isStopping = true;
    Atomics.store(new Int32Array(this.stopFlag), 0, 1);
    this.settings.onStopping?.(!this.findings.isEmpty);
  }

  private handle(report: Report<Result>, index: number): void {
    const { onProgress, onModel, onResult } = this.settings;
    switch (report.kind) {
      case 'progress':
        // One of several workers is enough to watch.
        if (index === 0 && !this.isStopping) onProgress?.(report.text);
        return;
      case 'model':
        onModel?.(report.model);
        return;
      case 'best':
      case 'done':
        if (this.findings.found(index, report.result, report.kind === 'done')) onResult?.(report.result);
        return;
      case 'failed':
        this.findings.failed(index, errorFrom(report.error));
    }
  }

  private nothingFound(): CccError {
    const { deadline, timeLimit = 0 } = this.settings;
    const isTimeOver = deadline !== undefined && performance.now() >= deadline;
    const when = isTimeOver
      ? `within the time limit of ${formatSeconds(timeLimit / 1000)}`
      : 'before the search was ended';
    return new CccError('stopped', `nothing was found ${when}`);
  }
}

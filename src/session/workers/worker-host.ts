/** What jobs need to run beside the calling thread. `node-threads.ts` has Node's worker threads behind this interface. */
import type { RanksAnswer, RanksJob } from '../verify/ranks-job.ts';
import type { Assignment, Report } from './messages.ts';

/** A worker that has been started and does its assignment. */
export interface RunningWorker {
  terminate(): Promise<void>;
}

/** A worker that verifies what it is sent. */
export interface Verifier extends RunningWorker {
  post(index: number, job: RanksJob): void;
}

/** Called back by a worker. */
export interface WorkerListener<Result> {
  onReport(report: Report<Result>): void;
  /** The worker crashed. `isOutOfMemory`: it reached its memory limit, which is no bug. */
  onCrash(error: unknown, isOutOfMemory: boolean): void;
  /** The worker has ended, with its exit code. */
  onExit(code: number): void;
}

export interface WorkerHost {
  /** How many workers can run at the same time, each on a processor of its own. */
  readonly parallelism: number;
  start<Request, Result>(assignment: Assignment<Request>, listener: WorkerListener<Result>): RunningWorker;
  /** Starts a worker that verifies schedules. */
  startVerifier(onAnswer: (answer: RanksAnswer) => void, onCrash: (error: unknown) => void): Verifier;
  /** Processor time that all threads of the process have used so far, in milliseconds. */
  cpuMilliseconds(): number;
}

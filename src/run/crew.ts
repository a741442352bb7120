/** The threads of a run. They are started once, execute commands to run and to check, and are watched, so that a run never hangs. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { CccError } from '../ir/diagnostic.ts';
import type { Mismatch } from './check.ts';
import { Control } from './control.ts';
import { blocked } from './dry-run.ts';
import { runs } from './limits.ts';
import { type Interval, Member, type ThreadAssignment } from './member.ts';
import { Progress } from './progress.ts';

export interface WorkerData {
  readonly assignment: ThreadAssignment;
  readonly thread: number;
}

export type ThreadCommand =
  | { readonly kind: 'run'; readonly repetitions: number; readonly isRecorded: boolean }
  | { readonly kind: 'check' };

export type ThreadReply =
  | { readonly kind: 'ran'; readonly intervals: readonly Interval[] }
  | { readonly kind: 'checked'; readonly wrong: readonly Mismatch[] };

/** Runs a plan and checks its results, in worker threads or in the calling thread. */
export interface ExecutionCrew {
  /** `[thread][repetition]`. */
  run(repetitions: number, isRecorded: boolean): Promise<readonly (readonly Interval[])[]>;
  check(): Promise<readonly Mismatch[]>;
  dismiss(): Promise<void>;
}

/** Runs everything in the calling thread, which it blocks. */
export function soleMember(assignment: ThreadAssignment): ExecutionCrew {
  const member = new Member(assignment, 0);
  return {
    run: async (repetitions, isRecorded) => [member.run(repetitions, isRecorded)],
    check: async () => member.check(),
    dismiss: async () => {},
  };
}

/** The worker lies beside this file in a build; uncompiled sources run without workers. */
const workerFile = new URL('./run-worker.js', import.meta.url);

/** Whether threads can be started. */
export function canStartRunWorkers(): boolean {
  return existsSync(fileURLToPath(workerFile));
}

/** Starts one worker per thread of the assignment. `patience`: milliseconds without progress after which a run is stopped. */
export function startCrew(assignment: ThreadAssignment, patience = runs.patience): ExecutionCrew {
  const workers = Array.from({ length: assignment.threads }, (_, thread) => {
    const workerData: WorkerData = { assignment, thread };
    return new Worker(workerFile, { workerData });
  });
  const control = new Control(assignment.control, assignment.threads, false);
  /** Rejects when a worker dies, possibly at a time when nobody awaits it. */
  const death = new Promise<never>((_, reject) => {
    workers.forEach((worker, thread) => {
      worker.once('error', reject);
      worker.once('exit', () => reject(new CccError('stopped', `thread ${thread} of the run died`)));
    });
  });
  death.catch(() => {});
  const tell = async <Wanted extends ThreadReply['kind']>(
    command: ThreadCommand,
    wanted: Wanted,
  ): Promise<readonly Extract<ThreadReply, { kind: Wanted }>[]> => {
    const answers = workers.map((worker) => answerOf(worker, command, wanted));
    const watch = watchOver(assignment, control, patience);
    try {
      return await Promise.race([Promise.all(answers), death, watch.failure]);
    } finally {
      watch.end();
    }
  };
  return {
    run: async (repetitions, isRecorded) =>
      (await tell({ kind: 'run', repetitions, isRecorded }, 'ran')).map(({ intervals }) => intervals),
    check: async () => (await tell({ kind: 'check' }, 'checked')).flatMap(({ wrong }) => wrong),
    dismiss: async () => {
      control.stop();
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

function answerOf<Wanted extends ThreadReply['kind']>(
  worker: Worker,
  command: ThreadCommand,
  wanted: Wanted,
): Promise<Extract<ThreadReply, { kind: Wanted }>> {
  return new Promise((resolve) => {
    worker.once('message', (answer: ThreadReply) => {
      if (isOfKind(answer, wanted)) resolve(answer);
    });
    worker.postMessage(command);
  });
}

function isOfKind<Wanted extends ThreadReply['kind']>(
  answer: ThreadReply,
  wanted: Wanted,
): answer is Extract<ThreadReply, { kind: Wanted }> {
  return answer.kind === wanted;
}

/** Fails as soon as a run that has begun makes no progress for `patience` milliseconds. */
function watchOver(
  assignment: ThreadAssignment,
  control: Control,
  patience: number,
): { readonly failure: Promise<never>; readonly end: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const failure = new Promise<never>((_, reject) => {
    let seen = control.changes;
    timer = setInterval(() => {
      const changes = control.changes;
      const stuck = changes === seen && control.isRunning ? standingLanes(assignment) : [];
      seen = changes;
      if (stuck.length === 0) return;
      control.stop();
      const { tables, counters, inflight, staged } = assignment;
      reject(blocked(tables, new Progress(tables, counters, inflight, staged), stuck));
    }, patience);
  });
  failure.catch(() => {});
  return { failure, end: () => clearInterval(timer) };
}

/** The lanes that have not finished. */
function standingLanes({ tables, counters, inflight, staged }: ThreadAssignment): number[] {
  const progress = new Progress(tables, counters, inflight, staged);
  const lanes = Array.from({ length: tables.firstOp.length - 1 }, (_, lane) => lane);
  return lanes.filter((lane) => !progress.isFinished(lane));
}

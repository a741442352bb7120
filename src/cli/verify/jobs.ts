/**
 * Verifies schedules for many numbers of ranks: in this process as long as that is quick, then in one worker per processor.
 * The outcomes are the same either way, in the order of the jobs.
 */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { type RankOutcome, type RankRange, type VerifyRequest, verifyRanks } from '../../files/verify-file.ts';
import { CccError, type ErrorCode, type SourceRange, type SourceText } from '../../ir/diagnostic.ts';
import { parseScheduleFile, type ScheduleFile } from '../../read/index.ts';

/** A schedule for one number of ranks. Everything in it can be sent to a worker. */
export interface Job {
  readonly schedule: SourceText;
  readonly ranks: number;
  readonly range: RankRange;
  readonly request: Omit<VerifyRequest, 'onProgress'>;
}

/** What a worker answers. Errors lose their class on the way, so that they are sent in parts. */
export interface Answer {
  readonly index: number;
  readonly outcome?: RankOutcome;
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly range: SourceRange | undefined };
}

/** Milliseconds of work after which workers pay: each has to load and warm up the same code again, most of a second of work. */
const defaultPatience = 1500;

/** Beside this file when it is built; sources are run without workers. */
const workerFile = new URL('./verify-worker.js', import.meta.url);

const files = new Map<string, ScheduleFile>();

/** The schedule of a job, parsed once. */
function openSchedule(schedule: SourceText): ScheduleFile {
  let file = files.get(schedule.text);
  if (file === undefined) {
    file = parseScheduleFile(schedule);
    files.set(schedule.text, file);
  }
  return file;
}

export function runJob({ schedule, ranks, range, request }: Job): RankOutcome {
  return verifyRanks(openSchedule(schedule), ranks, range, request);
}

/**
 * The outcome of every job.
 * @throws CccError the error of the first job that has one
 */
export async function runJobs(
  jobs: readonly Job[],
  onProgress: (done: number, total: number) => void,
  patience = defaultPatience,
): Promise<readonly RankOutcome[]> {
  const started = performance.now();
  const outcomes: RankOutcome[] = [];
  const threads = existsSync(fileURLToPath(workerFile)) ? availableParallelism() : 1;
  for (const job of jobs) {
    const left = jobs.length - outcomes.length;
    if (threads > 1 && left > 1 && performance.now() - started >= patience) break;
    outcomes.push(runJob(job));
    onProgress(outcomes.length, jobs.length);
  }
  const first = outcomes.length;
  if (first === jobs.length) return outcomes;
  const answers = await inWorkers(jobs, first, threads, (done) => onProgress(first + done, jobs.length));
  for (const { outcome, error } of answers) {
    if (outcome === undefined) throw new CccError(error?.code ?? 'stopped', error?.message ?? '', error?.range);
    outcomes.push(outcome);
  }
  return outcomes;
}

/** Hands the jobs from `first` on to workers, the largest first so that they end together; answers in the order of the jobs. */
function inWorkers(
  jobs: readonly Job[],
  first: number,
  threads: number,
  onAnswer: (done: number) => void,
): Promise<readonly Answer[]> {
  const waiting = jobs.map((_, index) => index).slice(first);
  waiting.sort((a, b) => jobs[a].ranks - jobs[b].ranks || b - a);
  const total = waiting.length;
  const answers: Answer[] = [];
  const workers = Array.from({ length: Math.min(threads, total) }, () => new Worker(workerFile));
  const answered = new Promise<void>((resolve, reject) => {
    for (const worker of workers) {
      const next = (): void => {
        const index = waiting.pop();
        if (index !== undefined) worker.postMessage({ index, job: jobs[index] });
      };
      worker.on('error', reject);
      worker.on('message', (answer: Answer) => {
        answers.push(answer);
        onAnswer(answers.length);
        if (answers.length === total) resolve();
        else next();
      });
      next();
    }
  });
  return answered
    .then(() => answers.sort((a, b) => a.index - b.index))
    .finally(() => Promise.all(workers.map((worker) => worker.terminate())));
}

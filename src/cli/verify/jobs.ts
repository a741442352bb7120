/**
 * Verifies schedules for many numbers of ranks: in this process as long as that is quick, then in one worker per processor.
 * The outcomes are the same either way, in the order of the jobs.
 */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { CccError, type ErrorCode, type SourceRange, type SourceText } from '../../ir/diagnostic.ts';
import { type RankOutcome, type RankRange, type VerifyRequest, verifyRanks } from '../../jobs/verify-file.ts';
import { parseScheduleFile, type ScheduleFile } from '../../read/index.ts';
import { patienceMilliseconds } from '../patience.ts';

/** A schedule for one number of ranks. Everything in it can be sent to a worker. */
export interface VerifyJob {
  readonly schedule: SourceText;
  readonly ranks: number;
  readonly range: RankRange;
  readonly request: Omit<VerifyRequest, 'onProgress'>;
}

/** What a worker answers. Errors lose their class on the way, so that they are sent in parts. */
export interface VerifyReply {
  readonly index: number;
  readonly outcome?: RankOutcome;
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly range: SourceRange | undefined };
}

/** Beside this file when it is built; sources are run without workers. */
const workerFile = new URL('./verify-worker.js', import.meta.url);

const files = new Map<string, ScheduleFile>();

/** The schedule of a job, parsed once. */
function openSchedule({ schedule, request: { limits } }: VerifyJob): ScheduleFile {
  let file = files.get(schedule.text);
  if (file === undefined) {
    file = parseScheduleFile(schedule, { limits });
    files.set(schedule.text, file);
  }
  return file;
}

export function runVerifyJob(job: VerifyJob): RankOutcome {
  return verifyRanks(openSchedule(job), job.ranks, job.range, job.request);
}

/**
 * The outcomes of the jobs, from the first on: all of them, or up to the one with which their operations reach the limit (that of the first
 * job counts for all).
 * @throws CccError the error of the first job that has one
 */
export async function runJobs(
  jobs: readonly VerifyJob[],
  onProgress: (done: number, total: number) => void,
  patience = patienceMilliseconds.beforeWorkers,
): Promise<readonly RankOutcome[]> {
  const started = performance.now();
  const most = jobs[0]?.request.limits.rangeOperations ?? 0;
  const outcomes: RankOutcome[] = [];
  let operations = 0;
  const threads = existsSync(fileURLToPath(workerFile)) ? availableParallelism() : 1;
  for (const job of jobs) {
    const left = jobs.length - outcomes.length;
    if (threads > 1 && left > 1 && performance.now() - started >= patience) break;
    const outcome = runVerifyJob(job);
    outcomes.push(outcome);
    operations += outcome.operations;
    onProgress(outcomes.length, jobs.length);
    if (operations >= most) return outcomes;
  }
  const first = outcomes.length;
  if (first === jobs.length) return outcomes;
  const left = most - operations;
  const answers = await inWorkers(jobs, first, left, threads, (done) => onProgress(first + done, jobs.length));
  for (const { outcome, error } of answers) {
    if (outcome === undefined) throw new CccError(error?.code ?? 'stopped', error?.message ?? '', error?.range);
    outcomes.push(outcome);
    operations += outcome.operations;
    if (operations >= most) break;
  }
  return outcomes;
}

/**
 * Hands the jobs from `first` on to workers, in their order, until what has been answered has `most` operations or is wrong: whatever was
 * answered first, all that comes before is answered too. @returns answers in the order of the jobs
 */
function inWorkers(
  jobs: readonly VerifyJob[],
  first: number,
  most: number,
  threads: number,
  onAnswer: (done: number) => void,
): Promise<readonly VerifyReply[]> {
  const total = jobs.length - first;
  const answers: VerifyReply[] = [];
  let handed = 0;
  let operations = 0;
  let hasFailed = false;
  const workers = Array.from({ length: Math.min(threads, total) }, () => new Worker(workerFile));
  const answered = new Promise<void>((resolve, reject) => {
    for (const worker of workers) {
      const next = (): void => {
        if (handed === total || operations >= most || hasFailed) {
          if (answers.length === handed) resolve();
          return;
        }
        const index = first + handed++;
        worker.postMessage({ index, job: jobs[index] });
      };
      worker.on('error', reject);
      worker.on('message', (answer: VerifyReply) => {
        answers.push(answer);
        operations += answer.outcome?.operations ?? 0;
        hasFailed ||= answer.outcome === undefined;
        onAnswer(answers.length);
        next();
      });
      next();
    }
  });
  return answered
    .then(() => answers.sort((a, b) => a.index - b.index))
    .finally(() => Promise.all(workers.map((worker) => worker.terminate())));
}

/**
 * Verifies schedules for many numbers of ranks: in the calling thread as long as that is quick, then in one worker for each processor.
 * The outcomes are the same either way, in the order of the jobs.
 */
import { CccError } from '../../ir/diagnostic.ts';
import { type RankOutcome, verifyRanks } from '../../jobs/verify-file.ts';
import { parseScheduleFile, type ScheduleFile } from '../../read/index.ts';
import { platform } from '../platform.ts';
import { errorFrom } from '../workers/messages.ts';
import { milliseconds } from '../workers/patience.ts';
import type { WorkerHost } from '../workers/worker-host.ts';
import type { RanksAnswer, RanksJob } from './ranks-job.ts';

const files = new Map<string, ScheduleFile>();

/** The schedule of a job. Each schedule is parsed once. */
function openSchedule({ schedule, request: { limits } }: RanksJob): ScheduleFile {
  let file = files.get(schedule.text);
  if (file === undefined) {
    file = parseScheduleFile(schedule, { limits });
    files.set(schedule.text, file);
  }
  return file;
}

export function verifyForRanks(job: RanksJob): RankOutcome {
  return verifyRanks(openSchedule(job), job.ranks, job.range, job.request);
}

/**
 * The outcomes of the jobs, from the first on: all of them, or up to the one with which their operations reach the limit of the first job's request.
 * @param patience milliseconds after which the rest goes to workers
 * @throws CccError the error of the first job that has one
 */
export async function verifyAll(
  jobs: readonly RanksJob[],
  onProgress: (done: number, total: number) => void,
  patience = milliseconds.beforeWorkers,
): Promise<readonly RankOutcome[]> {
  const started = performance.now();
  const maxOperations = jobs[0]?.request.limits.rangeOperations ?? 0;
  const outcomes: RankOutcome[] = [];
  let operations = 0;
  const host = await platform().workerHost();
  for (const job of jobs) {
    const left = jobs.length - outcomes.length;
    if (host !== undefined && host.parallelism > 1 && left > 1 && performance.now() - started >= patience) break;
    const outcome = verifyForRanks(job);
    outcomes.push(outcome);
    operations += outcome.operations;
    onProgress(outcomes.length, jobs.length);
    if (operations >= maxOperations) return outcomes;
  }
  const first = outcomes.length;
  if (first === jobs.length || host === undefined) return outcomes;
  const left = maxOperations - operations;
  const answers = await inWorkers(jobs, first, left, host, (done) => onProgress(first + done, jobs.length));
  for (const { outcome, error } of answers) {
    if (outcome === undefined) throw error === undefined ? new CccError('stopped', '') : errorFrom(error);
    outcomes.push(outcome);
    operations += outcome.operations;
    if (operations >= maxOperations) break;
  }
  return outcomes;
}

/**
 * Hands out the jobs from `first` on to workers, in their order, until the answered ones have `maxOperations` operations or one of them is wrong. Jobs that
 * come before an answered one are answered, too.
 * @returns answers in the order of the jobs
 */
function inWorkers(
  jobs: readonly RanksJob[],
  first: number,
  maxOperations: number,
  host: WorkerHost,
  onAnswer: (done: number) => void,
): Promise<readonly RanksAnswer[]> {
  const total = jobs.length - first;
  const answers: RanksAnswer[] = [];
  let handed = 0;
  let operations = 0;
  let hasFailed = false;
  const workers: { terminate(): Promise<void> }[] = [];
  const answered = new Promise<void>((resolve, reject) => {
    for (let started = 0; started < Math.min(host.parallelism, total); started++) {
      const worker = host.startVerifier((answer) => {
        answers.push(answer);
        operations += answer.outcome?.operations ?? 0;
        hasFailed ||= answer.outcome === undefined;
        onAnswer(answers.length);
        next();
      }, reject);
      const next = (): void => {
        if (handed === total || operations >= maxOperations || hasFailed) {
          if (answers.length === handed) resolve();
          return;
        }
        const index = first + handed++;
        worker.post(index, jobs[index]);
      };
      workers.push(worker);
      next();
    }
  });
  return answered
    .then(() => answers.sort((a, b) => a.index - b.index))
    .finally(() => Promise.all(workers.map((worker) => worker.terminate())));
}

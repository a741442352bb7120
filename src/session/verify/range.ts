/** Verification over ranges of ranks: of one file, or of all the schedules that come with ccc. */

import type { SourceText } from '../../ir/diagnostic.ts';
import {
  type FileReport,
  type RankRange,
  rangeFor,
  scheduleReport,
  type UnfinishedRange,
  unfinishedRange,
  type VerifyRequest,
  verifyText,
} from '../../jobs/verify-file.ts';
import { listShipped, loadScheduleFile, parseScheduleFile, type ScheduleFile } from '../../read/index.ts';
import { verifyAll } from './jobs.ts';
import type { RanksJob } from './ranks-job.ts';

type Progress = (done: number, total: number) => void;

/** As `verifyText`, in workers if that pays. Plans, which begin with `{` or `<`, have no ranges. */
export async function verifyOverRange(
  source: SourceText,
  request: VerifyRequest,
  onProgress: Progress,
): Promise<FileReport> {
  if (/^\s*[{<]/.test(source.text)) return verifyText(source, { ...request, onProgress });
  const file = parseScheduleFile(source, { limits: request.limits });
  const range = rangeFor(file, request);
  return scheduleReport(file, await verifyAll(jobsOf(file, range, request), onProgress), range, request.limits);
}

export interface ShippedReport {
  readonly name: string;
  /** Undefined if the schedule works for none of the numbers of ranks that have an outcome. */
  readonly report: FileReport | undefined;
  readonly unfinished: UnfinishedRange | undefined;
}

/** The reports on all shipped schedules, by name. */
export async function verifyShipped(request: VerifyRequest, onProgress: Progress): Promise<readonly ShippedReport[]> {
  const files = listShipped('schedules').map((name) => loadScheduleFile(name));
  const ranges = files.map((file) => rangeFor(file, request));
  const jobs = files.map((file, at) => jobsOf(file, ranges[at], request));
  const outcomes = await verifyAll(jobs.flat(), onProgress);
  let taken = 0;
  return files.map((file, at) => {
    const own = outcomes.slice(taken, taken + jobs[at].length);
    taken += own.length;
    const works = own.some((outcome) => outcome.kind === 'verdict');
    return {
      name: file.name,
      report: works ? scheduleReport(file, own, ranges[at], request.limits) : undefined,
      unfinished: unfinishedRange(own.length, ranges[at], request.limits),
    };
  });
}

function jobsOf(file: ScheduleFile, range: RankRange, request: VerifyRequest): readonly RanksJob[] {
  const count = range.last - range.first + 1;
  return Array.from({ length: count }, (_, i) => ({ schedule: file.text, ranks: range.first + i, range, request }));
}

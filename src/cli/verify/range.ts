/** `ccc verify` over ranges of ranks: one file, or all the schedules that come with ccc. */

import { type FileReport, rangeFor, scheduleReport, type VerifyRequest, verifyText } from '../../files/verify-file.ts';
import type { SourceText } from '../../ir/diagnostic.ts';
import { listShipped, loadScheduleFile, parseScheduleFile, type ScheduleFile } from '../../read/index.ts';
import { type Job, runJobs } from './jobs.ts';

type Progress = (done: number, total: number) => void;

/** As `verifyText`, in workers where that pays. Plans (which begin with `{` or `<`) have no ranges. */
export async function verifyOverRange(
  source: SourceText,
  request: VerifyRequest,
  onProgress: Progress,
): Promise<FileReport> {
  if (/^\s*[{<]/.test(source.text)) return verifyText(source, { ...request, onProgress });
  const file = parseScheduleFile(source);
  return scheduleReport(file, await runJobs(jobsOf(file, request), onProgress));
}

/** A shipped schedule and its report; undefined if it works for no number of ranks in the range. */
export interface ShippedReport {
  readonly name: string;
  readonly report: FileReport | undefined;
}

/** The reports on all shipped schedules, by name. */
export async function verifyShipped(request: VerifyRequest, onProgress: Progress): Promise<readonly ShippedReport[]> {
  const files = listShipped('schedules').map((name) => loadScheduleFile(name));
  const jobs = files.map((file) => jobsOf(file, request));
  const outcomes = await runJobs(jobs.flat(), onProgress);
  let taken = 0;
  return files.map((file, at) => {
    const own = outcomes.slice(taken, taken + jobs[at].length);
    taken += own.length;
    const works = own.some((outcome) => outcome.kind === 'verdict');
    return { name: file.name, report: works ? scheduleReport(file, own) : undefined };
  });
}

function jobsOf(file: ScheduleFile, request: VerifyRequest): readonly Job[] {
  const range = rangeFor(file, request);
  const count = range.last - range.first + 1;
  return Array.from({ length: count }, (_, i) => ({ schedule: file.text, ranks: range.first + i, range, request }));
}

/**
 * `ccc compile` in workers: so that Ctrl-C and time limits end long searches with the best so far, and that searches at random
 * run on all processors while there is time.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { CccError } from '../ir/diagnostic.ts';
import { formatSeconds, type Seconds } from '../ir/units.ts';
import type { CompileOptions } from './compile-job.ts';
import { note, writeJson } from './output.ts';

/** What a worker is told. */
export interface Assignment {
  readonly kind: string;
  readonly options: CompileOptions;
  /** One number: anything but 0 ends the search. */
  readonly stop: SharedArrayBuffer;
  /** Milliseconds since 1970 at which the search ends. */
  readonly deadline: number | undefined;
  readonly index: number;
  readonly workers: number;
}

/** What a worker says. */
export type Report =
  | { readonly kind: 'progress'; readonly priced: number; readonly seconds: Seconds }
  | { readonly kind: 'found'; readonly seconds: Seconds }
  | { readonly kind: 'written'; readonly exitCode: number }
  | { readonly kind: 'failed'; readonly exitCode: number; readonly text: string; readonly document: object };

/** Beside this file when it is built. */
export const workerFile = new URL('./compile-worker.js', import.meta.url);

/** More processors than this gain little: each search at random is worth less than the one before. */
const mostWorkers = 8;

/** Searches with all processors if there is a time limit, with one else; returns the exit code. */
export async function compileInWorkers(kind: string, options: CompileOptions): Promise<number> {
  const stop = new SharedArrayBuffer(4);
  const deadline = options.timeLimit === undefined ? undefined : Date.now() + options.timeLimit;
  const workers = deadline === undefined ? 1 : Math.min(availableParallelism(), mostWorkers);
  const pool = Array.from({ length: workers }, (_, index) => {
    const assignment: Assignment = { kind, options, stop, deadline, index, workers };
    return new Worker(workerFile, { workerData: assignment });
  });
  const interrupt = (): void => {
    // The first Ctrl-C keeps the best so far; who presses it again means it.
    if (Atomics.exchange(new Int32Array(stop), 0, 1) !== 0) process.exit(130);
  };
  process.on('SIGINT', interrupt);
  try {
    const findings = await Promise.all(pool.map((worker, index) => answerOf(worker, index === 0)));
    return await writeBest(pool, findings, options);
  } finally {
    process.off('SIGINT', interrupt);
    await Promise.all(pool.map((worker) => worker.terminate()));
  }
}

type Finding = Extract<Report, { kind: 'found' | 'failed' }>;

/** What a worker found; the first one's progress is shown while a terminal is watched. */
function answerOf(worker: Worker, isShown: boolean): Promise<Finding> {
  return new Promise((resolve, reject) => {
    worker.on('error', (error) => reject(unlessMemory(error)));
    worker.on('exit', (code) => reject(new Error(`a worker ended with ${code} before it had an answer`)));
    worker.on('message', (report: Report) => {
      if (report.kind === 'found' || report.kind === 'failed') resolve(report);
      if (report.kind === 'progress' && isShown && process.stderr.isTTY) {
        process.stderr.write(`\r${report.priced} candidates priced, best ${formatSeconds(report.seconds)} \x1b[K`);
      }
    });
  });
}

/** Has the best worker write its plan; of equally good ones the first, so that the result does not depend on who was faster. */
async function writeBest(
  pool: readonly Worker[],
  findings: readonly Finding[],
  { json }: CompileOptions,
): Promise<number> {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  findings.forEach((finding, index) => {
    if (finding.kind !== 'found' || finding.seconds >= least) return;
    best = index;
    least = finding.seconds;
  });
  const [first] = findings;
  if (best < 0 && first.kind === 'failed') {
    if (json === true) writeJson(first.document);
    note(first.text);
    return first.exitCode;
  }
  const winner = pool[Math.max(best, 0)];
  return new Promise((resolve, reject) => {
    winner.on('error', (error) => reject(unlessMemory(error)));
    // A reader of standard output that has seen enough ends the worker before it says anything.
    winner.on('exit', resolve);
    winner.on('message', (report: Report) => {
      if (report.kind === 'written') resolve(report.exitCode);
      if (report.kind !== 'failed') return;
      if (json === true) writeJson(report.document);
      note(report.text);
      resolve(report.exitCode);
    });
    winner.postMessage('write');
  });
}

/** Memory that ran out is the user's to know; anything else is a bug and stays what it is. */
function unlessMemory(error: unknown): unknown {
  const ranOut = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return ranOut ? new CccError('stopped', 'the search needs more memory than there is for it') : error;
}

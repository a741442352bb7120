/** Workers as threads of Node. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { RanksAnswer, RanksJob } from '../verify/ranks-job.ts';
import type { Assignment, Report } from './messages.ts';
import type { RunningWorker, Verifier, WorkerHost, WorkerListener } from './worker-host.ts';

/** Stands beside this file after compilation, and beside the command in the bundle. TypeScript sources have no such file. */
const workerFile = new URL('./job-worker.js', import.meta.url);
const verifierFile = new URL('./verify-worker.js', import.meta.url);

/** Undefined where ccc runs from sources that were not built. */
export function nodeThreads(): WorkerHost | undefined {
  if (!existsSync(workerFile)) return undefined;
  return { parallelism: availableParallelism(), start, startVerifier, cpuMilliseconds };
}

function start<Request, Result>(assignment: Assignment<Request>, listener: WorkerListener<Result>): RunningWorker {
  const worker = new Worker(workerFile, { workerData: assignment, argv: process.argv.slice(2) });
  worker.on('message', (report: Report<Result>) => listener.onReport(report));
  worker.on('error', (error) => listener.onCrash(error, ranOutOfMemory(error)));
  worker.on('exit', (code) => listener.onExit(code));
  return { terminate: () => ended(worker) };
}

function startVerifier(onAnswer: (answer: RanksAnswer) => void, onCrash: (error: unknown) => void): Verifier {
  const worker = new Worker(verifierFile);
  worker.on('message', onAnswer);
  worker.on('error', onCrash);
  const post = (index: number, job: RanksJob): void => worker.postMessage({ index, job });
  return { post, terminate: () => ended(worker) };
}

async function ended(worker: Worker): Promise<void> {
  await worker.terminate();
}

function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function ranOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** The code of a worker thread: does the assignment that it was started with, and reports progress and results. */
import '../node-platform.ts';
import { parentPort, workerData } from 'node:worker_threads';
import { CccError } from '../../ir/diagnostic.ts';
import { type Assignment, partsOf, type Report } from './messages.ts';
import { milliseconds } from './patience.ts';
import { type JobName, jobs, type RequestOf, type ResultOf } from './registry.ts';
import { buffersOf } from './transfer.ts';

// A job that fails because of a bug, not because of the user, ends the worker with its error.
if (parentPort !== null) {
  void work(workerData, (report) => {
    parentPort?.postMessage(report, report.kind === 'done' ? buffersOf(report.result) : []);
  });
}

async function work<Name extends JobName>(
  { name, request, stop, index, workers, wantsModels }: Assignment<RequestOf<Name>> & { readonly name: Name },
  send: (report: Report<ResultOf<Name>>) => void,
): Promise<void> {
  const flag = new Int32Array(stop);
  const shouldStop = (): boolean => Atomics.load(flag, 0) !== 0;
  let nextProgress = 0;
  const onProgress = (text: string): void => {
    if (performance.now() < nextProgress) return;
    nextProgress = performance.now() + milliseconds.betweenProgress;
    send({ kind: 'progress', text });
  };
  try {
    const job = await jobs[name]();
    const result = await job(request, {
      index,
      workers,
      shouldStop,
      onProgress,
      onResult: (best: ResultOf<Name>) => send({ kind: 'best', result: best }),
      onModel: (model, what) => {
        if (wantsModels) send({ kind: 'model', model: { model, name: what } });
      },
    });
    send({ kind: 'done', result });
  } catch (error) {
    if (!(error instanceof CccError)) throw (await import('../internal-error.ts')).withMaterialSaved(error);
    send({ kind: 'failed', error: partsOf(error) });
  }
}

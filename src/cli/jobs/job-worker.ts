/** A worker: does the job that it is given, and says how far it is and what it has found. */
import { parentPort, workerData } from 'node:worker_threads';
import { CccError } from '../../ir/diagnostic.ts';
import { patienceMilliseconds } from '../patience.ts';
import { errorPartsOf, type JobAssignment, type Report } from './messages.ts';
import { type JobName, jobs, type ResultOf } from './registry.ts';
import { buffersOf, received, sendable } from './transfer.ts';

// A job that fails for other reasons than the user's ends the worker with its error.
if (parentPort !== null) {
  void work(workerData, (report) => {
    const message = sendable(report);
    parentPort?.postMessage(message, message.kind === 'done' ? buffersOf(message.result) : []);
  });
}

async function work<Name extends JobName>(
  { name, request, stop, index, workers, wantsModels }: JobAssignment<Name>,
  send: (report: Report<Name>) => void,
): Promise<void> {
  const flag = new Int32Array(stop);
  const shouldStop = (): boolean => Atomics.load(flag, 0) !== 0;
  let nextWord = 0;
  const onProgress = (text: string): void => {
    if (performance.now() < nextWord) return;
    nextWord = performance.now() + patienceMilliseconds.betweenWords;
    send({ kind: 'progress', text });
  };
  try {
    const job = await jobs[name]();
    const result = await job(received(request), {
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
    if (!(error instanceof CccError)) throw (await import('../disagreement.ts')).withPlanSaved(error);
    send({ kind: 'failed', error: errorPartsOf(error) });
  }
}

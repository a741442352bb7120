/** A worker of `ccc compile`: searches, says how good its plan is, and writes it if it is the one that is wanted. */
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { CccError } from '../ir/diagnostic.ts';
import type { Assignment, Report } from './compile-in-workers.ts';
import { compileJob, present } from './compile-job.ts';
import { exitCodeOf, jsonOfError, textOfError } from './failure.ts';

const port = parentPort;
if (port !== null) {
  const assignment: Assignment = workerData;
  const send = (report: Report): void => port.postMessage(report);
  try {
    await work(assignment, send);
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    send({ kind: 'failed', exitCode: exitCodeOf(error), text: textOfError(error), document: jsonOfError(error) });
  }
}

async function work(assignment: Assignment, send: (report: Report) => void): Promise<void> {
  const { kind, options, stop, deadline, index, workers } = assignment;
  const stopped = new Int32Array(stop);
  const result = await compileJob(
    kind,
    { ...options, seed: options.seed + index },
    {
      shouldStop: () => Atomics.load(stopped, 0) !== 0 || (deadline !== undefined && Date.now() > deadline),
      onProgress: (priced, seconds) => send({ kind: 'progress', priced, seconds }),
      ...(deadline === undefined ? {} : { restartEvery: workers }),
    },
  );
  send({ kind: 'found', seconds: result.bundle.cost.seconds });
  if (port !== null) await once(port, 'message');
  send({ kind: 'written', exitCode: await present(result, options) });
}

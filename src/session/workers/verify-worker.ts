/** The code of a worker thread that verifies schedules for the numbers of ranks that it is sent, one after the other. */
import '../node-platform.ts';
import { parentPort } from 'node:worker_threads';
import { CccError } from '../../ir/diagnostic.ts';
import { withMaterialSaved } from '../internal-error.ts';
import { verifyForRanks } from '../verify/jobs.ts';
import type { RanksAnswer, RanksJob } from '../verify/ranks-job.ts';
import { partsOf } from './messages.ts';

parentPort?.on('message', ({ index, job }: { readonly index: number; readonly job: RanksJob }) => {
  parentPort?.postMessage(answer(index, job));
});

function answer(index: number, job: RanksJob): RanksAnswer {
  try {
    return { index, outcome: verifyForRanks(job) };
  } catch (error) {
    if (!(error instanceof CccError)) throw withMaterialSaved(error);
    return { index, error: partsOf(error) };
  }
}

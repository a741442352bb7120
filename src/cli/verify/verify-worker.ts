/** A worker of `ccc verify` over a range: does the jobs that it is sent, one after the other. */
import { parentPort } from 'node:worker_threads';
import { CccError } from '../../ir/diagnostic.ts';
import { withPlanSaved } from '../disagreement.ts';
import { runVerifyJob, type VerifyJob, type VerifyReply } from './jobs.ts';

parentPort?.on('message', ({ index, job }: { readonly index: number; readonly job: VerifyJob }) => {
  parentPort?.postMessage(answer(index, job));
});

function answer(index: number, job: VerifyJob): VerifyReply {
  try {
    return { index, outcome: runVerifyJob(job) };
  } catch (error) {
    if (!(error instanceof CccError)) throw withPlanSaved(error);
    return { index, error: { code: error.code, message: error.message, range: error.range } };
  }
}

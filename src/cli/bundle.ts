/** All that the installed command loads, as one bundle (scripts/bundle.mjs): the command, and the workers that it starts. */
export { main } from './main.ts';

/** By the name of the file that a worker is started from. */
export const workers = {
  'job-worker': () => import('./jobs/job-worker.ts'),
  'verify-worker': () => import('./verify/verify-worker.ts'),
  'run-worker': () => import('../run/run-worker.ts'),
};

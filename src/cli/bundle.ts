/** All that the installed command loads, as one bundle (scripts/bundle.mjs): the command, and the workers that it starts. */
export { main } from './main.ts';

/** The code of the workers, by the names of the files that they are started from. */
export const workers = {
  'job-worker': () => import('../session/workers/job-worker.ts'),
  'verify-worker': () => import('../session/workers/verify-worker.ts'),
  'run-worker': () => import('../run/run-worker.ts'),
};

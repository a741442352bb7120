/** The entry point of the bundle that is installed (scripts/bundle.mjs): the command, and the code of its workers. */
export { main } from './main.ts';

/** The code of the workers, by the names of the source files from which they are started. */
export const workers = {
  'job-worker': () => import('../session/workers/job-worker.ts'),
  'verify-worker': () => import('../session/workers/verify-worker.ts'),
  'run-worker': () => import('../run/run-worker.ts'),
};

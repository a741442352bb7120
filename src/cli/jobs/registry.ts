/** The jobs that workers know, loaded when asked for. */
import type { CalibrateWork, FoundNumbers } from '../calibrate/job.ts';
import type { FoundPlan } from '../compile/found-plan.ts';
import type { CompileWork } from '../compile/job.ts';
import type { FoundOptimized, OptimizeWork } from '../optimize/job.ts';
import type { FoundFrontier, ParetoWork } from '../pareto/job.ts';
import type { TuneWork } from '../tune/request.ts';
import type { FoundTables } from '../tune/tables.ts';
import type { Job } from './job.ts';

/** What each job is asked, and what it finds. */
interface JobTypes {
  readonly compile: { readonly request: CompileWork; readonly result: FoundPlan };
  readonly pareto: { readonly request: ParetoWork; readonly result: FoundFrontier };
  readonly calibrate: { readonly request: CalibrateWork; readonly result: FoundNumbers };
  readonly tune: { readonly request: TuneWork; readonly result: FoundTables };
  readonly optimize: { readonly request: OptimizeWork; readonly result: FoundOptimized };
}

export type JobName = keyof JobTypes;
export type RequestOf<Name extends JobName> = JobTypes[Name]['request'];
export type ResultOf<Name extends JobName> = JobTypes[Name]['result'];

export const jobs: { readonly [Name in JobName]: () => Promise<Job<RequestOf<Name>, ResultOf<Name>>> } = {
  compile: async () => (await import('../compile/job.ts')).compileJob,
  pareto: async () => (await import('../pareto/job.ts')).paretoJob,
  calibrate: async () => (await import('../calibrate/job.ts')).calibrateJob,
  tune: async () => (await import('../tune/job.ts')).tuneJob,
  optimize: async () => (await import('../optimize/job.ts')).optimizeJob,
};

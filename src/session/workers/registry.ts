/** The jobs that workers can do. The code of a job is loaded when it is asked for. */
import type { CalibratedMachine, CalibrateWork } from '../calibrate-job.ts';
import type { FoundPlan } from '../compile/found-plan.ts';
import type { PlanWork } from '../compile/search-job.ts';
import type { FoundOptimized, OptimizeWork } from '../optimize-job.ts';
import type { FoundFrontier, ParetoWork } from '../pareto-job.ts';
import type { FoundTunings, TuneWork } from '../tune/tuning-job.ts';
import type { Job } from './job-control.ts';

/** The request and the result of each job. */
interface JobTypes {
  readonly compile: { readonly request: PlanWork; readonly result: FoundPlan };
  readonly pareto: { readonly request: ParetoWork; readonly result: FoundFrontier };
  readonly calibrate: { readonly request: CalibrateWork; readonly result: CalibratedMachine };
  readonly tune: { readonly request: TuneWork; readonly result: FoundTunings };
  readonly optimize: { readonly request: OptimizeWork; readonly result: FoundOptimized };
}

export type JobName = keyof JobTypes;
export type RequestOf<Name extends JobName> = JobTypes[Name]['request'];
export type ResultOf<Name extends JobName> = JobTypes[Name]['result'];

export const jobs: { readonly [Name in JobName]: () => Promise<Job<RequestOf<Name>, ResultOf<Name>>> } = {
  compile: async () => (await import('../compile/search-job.ts')).searchJob,
  pareto: async () => (await import('../pareto-job.ts')).paretoJob,
  calibrate: async () => (await import('../calibrate-job.ts')).calibrateJob,
  tune: async () => (await import('../tune/tuning-job.ts')).tuneJob,
  optimize: async () => (await import('../optimize-job.ts')).optimizeJob,
};

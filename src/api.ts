/**
 * The part of the public API that needs nothing of Node: `index.ts` exports it with what Node adds, `core.ts` for browsers. No module that
 * is reached from here imports `node:…` or uses `Buffer` or `process` (test/core/bundle.test.ts).
 */
import { json, type PlanBundle } from './emit/index.ts';
import { defaultLimits } from './ir/limits.ts';
import { viewText } from './jobs/viewed.ts';
import { pagePlan, pageText } from './view/index.ts';

export { lowerBound } from './bounds/index.ts';
export { checkCertificate } from './certificates/index.ts';
// Writing
export type { Emitter, PlanBundle } from './emit/index.ts';
export type { Certificate, CompactCertificate } from './ir/certificate.ts';
// The values in between
export type { Collective, CollectiveKind, ReductionOperator } from './ir/collective.ts';
export { CccError, type ErrorCode, type SourceRange, type SourceText } from './ir/diagnostic.ts';
export type { Dtype } from './ir/dtype.ts';
export type { Effort } from './ir/effort.ts';
export type { LaneModel, LinkLane, MachineProtocol, Timing } from './ir/lanes.ts';
export { defaultLimits, type Limits } from './ir/limits.ts';
export { type Operation, operationAt, operationCount, type Plan, PlanBuilder } from './ir/plan.ts';
export {
  type Bound,
  ContradictedBound,
  type Contradiction,
  type CostReport,
  optimality,
  type Timeline,
} from './ir/report.ts';
export { Routes } from './ir/routes.ts';
export { type Schedule, StepsBuilder, type Transfer } from './ir/schedule.ts';
export { messageBytes } from './ir/shards.ts';
export { type Link, type Node, type Topology, withProtocol, withTiming } from './ir/topology.ts';
export type { Finding, Verdict, Verification } from './ir/verification.ts';
// Verdicts on files
export { type FileReport, type VerifyRequest, verifyText } from './jobs/verify-file.ts';
// From schedules to plans
export { lower } from './lower/index.ts';
export { simulate, timeline } from './model/index.ts';
export type { GroupShare } from './process-groups/groups.ts';
// Reading
export {
  convertDump,
  type DumpKind,
  type DumpOptions,
  dumpKindOf,
  instantiate,
  loadScheduleFile,
  parseScheduleFile,
  readPlan,
  resolveTopology,
  type ScheduleFile,
  withGroup,
} from './read/index.ts';
// Searching, without jobs
export type { CandidateReport, Objective } from './search/comparing.ts';
export { type CompileRequest, type CompileResult, searchDefaults, searchPlan } from './search/compile.ts';
export { mayGainInRounds, withRounds } from './search/in-rounds.ts';
// What commands do
export { type BoundOptions, type BoundReport, bound } from './session/bound.ts';
export { BundledPlan, type SimulationOptions } from './session/bundled-plan.ts';
export { type CalibrateJob, type CalibrateOptions, calibrate } from './session/calibrate.ts';
export type { CalibratedMachine, CalibrationInput } from './session/calibrate-job.ts';
export { type CheckOptions, type CheckVerdict, check } from './session/check.ts';
export {
  type AnyCollectiveSpec,
  allgather,
  allreduce,
  alltoall,
  type BytesLike,
  barrier,
  broadcast,
  type CollectiveRequest,
  type CollectiveSpec,
  collectiveRequest,
  custom,
  exscan,
  gather,
  type ReducingSpec,
  type RootedSpec,
  reduce,
  reducescatter,
  type ShardedSpec,
  scan,
  scatter,
} from './session/collectives.ts';
export { CompiledCompactPlan } from './session/compile/compact-plan.ts';
export { type AnyCompiledPlan, type CompileJob, type CompileOutcome, compile } from './session/compile/compile.ts';
export { CompiledPlan } from './session/compile/compiled-plan.ts';
export type { CompileOptions } from './session/compile/options.ts';
export type { PlanBound } from './session/compile/plan-bound.ts';
export { Job } from './session/job.ts';
export type { JobOptions } from './session/job-options.ts';
export { LoadedPlan, type LoadPlanOptions, loadPlan, parsePlan } from './session/load-plan.ts';
export type {
  ChipDescription,
  LinkDescription,
  MachineDescription,
  RateLike,
  SecondsLike,
  SwitchDescription,
} from './session/machine/build.ts';
export { type LoadOptions, Machine, type ParseOptions } from './session/machine/machine.ts';
export type { MachineEdits } from './session/machine/machine-options.ts';
export { OptimizedPlan, type OptimizeJob, type OptimizeOptions, optimize } from './session/optimize.ts';
export { type Failure, type FailureReason, failureReasons, type Outcome } from './session/outcome.ts';
export { Frontier, type ParetoJob, type ParetoOptions, pareto } from './session/pareto.ts';
export { TunedPlan, type TuneJob, type TuneOptions, Tuning, tune } from './session/tune/tune.ts';
export { type VerifyFileOptions, verify } from './session/verify/verify.ts';
export { pageOfFiles, type ViewedFile } from './session/view.ts';
export { loadSolver, type Solver, type SolverName } from './solver/index.ts';
export { emitters } from './targets/index.ts';
export type { RuleComparison, RuleOutcome } from './tune/comparing.ts';
// Proving
export { ProvedPlan, prove, type VerifyOptions, verify as verifyPlan } from './verify/index.ts';

/** A proved plan as JSON text (format `ccc-plan`). */
export function planJson(bundle: PlanBundle): string {
  return [...json.emit(bundle)].join('');
}

/**
 * A proved plan as a page for browsers (docs/view.md): the machine, the time on it, the programs and the proof in one HTML document
 * that loads nothing else.
 */
export async function planPage(bundle: PlanBundle): Promise<string> {
  const { proved, topology, size } = bundle;
  const source = { name: proved.plan.name, text: planJson(bundle) };
  const unused = { root: 0, op: 'sum', ordered: false, inPlace: false, parameters: {} } as const;
  const plan = pagePlan(await viewText(source, { ...unused, topology, size, limits: defaultLimits }));
  return pageText({ title: `${plan.name} – ccc`, plans: [plan], tuning: undefined, served: false, error: undefined });
}

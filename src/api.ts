/**
 * The part of the public API that needs nothing of Node: `index.ts` exports it with what Node adds, `core.ts` for browsers. No module that
 * is reached from here imports `node:…` or uses `Buffer` or `process` (test/core/bundle.test.ts).
 */
import { json, type PlanBundle } from './emit/index.ts';
import { defaultLimits } from './ir/limits.ts';
import { viewText } from './jobs/viewed.ts';
import type { OptimizeRequest } from './optimize/index.ts';
import type { CompileRequest } from './search/compile.ts';
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
export { type Bound, type CostReport, optimality, type Timeline } from './ir/report.ts';
export { Routes } from './ir/routes.ts';
export { type Schedule, StepsBuilder, type Transfer } from './ir/schedule.ts';
export { messageBytes } from './ir/shards.ts';
export { type Link, type Node, type Topology, withProtocol, withTiming } from './ir/topology.ts';
export type { Finding, Verdict, Verification } from './ir/verification.ts';
// Files as proved plans
export { type LoadRequest, load } from './jobs/load.ts';
export { withTimeline } from './jobs/timed.ts';
export { type FileReport, type VerifyRequest, verifyText } from './jobs/verify-file.ts';
// From schedules to plans
export { lower } from './lower/index.ts';
export { simulate, timeline } from './model/index.ts';
export { type Improvement, type OptimizeRequest, type OptimizeResult, optimize } from './optimize/index.ts';
export { compileGroups, type GroupShare, type GroupsResult } from './process-groups/groups.ts';
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
// Searching
export type { CandidateReport, Objective } from './search/comparing.ts';
export { type CompileRequest, type CompileResult, compile } from './search/compile.ts';
export { mayGainInRounds, withRounds } from './search/in-rounds.ts';
export { type ParetoPoint, type ParetoRequest, type ParetoResult, pareto } from './search/pareto.ts';
export { loadSolver, type Solver, type SolverName } from './solver/index.ts';
export { emitters } from './targets/index.ts';
// Tuning by size
export { compareWithLibraries, type RuleComparison, type RuleOutcome } from './tune/comparing.ts';
export { type SizeRange, sizeSeries } from './tune/ranges.ts';
export type { TunedPlan } from './tune/timed-plan.ts';
export { type TunedSize, type TuneRequest, type TuneResult, tuneSizes } from './tune/tune.ts';
// Proving
export { ProvedPlan, prove, type VerifyOptions, verify } from './verify/index.ts';

/** What `ccc compile` assumes where nothing is said. */
export const compileDefaults: Omit<CompileRequest, 'collective' | 'topology' | 'size'> = {
  dtype: 'f32',
  bulks: 'auto',
  engine: 'auto',
  parameters: {},
  objective: 'time',
  seed: 0,
  limits: defaultLimits,
};

/** What `ccc optimize` assumes where nothing is said. */
export const optimizeDefaults: Omit<OptimizeRequest, 'topology' | 'size'> = {
  root: 0,
  op: 'sum',
  ordered: false,
  inPlace: false,
  parameters: {},
  dtype: 'f32',
  limits: defaultLimits,
};

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

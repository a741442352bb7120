/**
 * The compilation flow: engines propose schedules; each is lowered to a plan, checked by the kernel (ccc-check) and simulated; the fastest
 * is returned. No plan is simulated, let alone returned, that the kernel has not accepted.
 */
import { lowerBound } from '../bounds/index.ts';
import { CccError } from '../ir/diagnostic.ts';
import type { Dtype } from '../ir/dtype.ts';
import type { Effort } from '../ir/effort.ts';
import { defaultLimits } from '../ir/limits.ts';
import type { Bound } from '../ir/report.ts';
import { Routes } from '../ir/routes.ts';
import type { Schedule } from '../ir/schedule.ts';
import { checkShardCounts } from '../ir/shards.ts';
import { ranksOf } from '../ir/topology.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { MemoryExceeded } from '../lower/index.ts';
import { type Dismissal, enginesNamed } from '../synth/index.ts';
import { type CandidateOutline, type CandidateReport, candidateReport, outline, ranked } from './comparing.ts';
import { consistentBound } from './consistent-bound.ts';
import { type EvaluatedCandidate, withCopyOrder } from './evaluate/index.ts';
import { checkEngines, originOf, type ProvedBundle, provedBundle } from './proved-bundle.ts';
import { CandidateSearch, type SearchRequest, type SearchResult } from './search.ts';
import { sourcesOf } from './sources.ts';

/** Defaults of `ccc compile`. */
export const searchDefaults: Omit<CompileRequest, 'collective' | 'topology' | 'size'> = {
  dtype: 'f32',
  bulks: 'auto',
  engine: 'auto',
  parameters: {},
  objective: 'time',
  seed: 0,
  limits: defaultLimits,
};

/** What to compile: collective, machine, size in bytes, element type, and options of the search (`searchDefaults` has the defaults). */
export interface CompileRequest extends Omit<SearchRequest, 'onBest'> {
  readonly dtype: Dtype;
  /** Called with every new incumbent: the result that the search would return if it ended now. */
  readonly onBest?: ((result: CompileResult) => void) | undefined;
}

/** The outcome of compiling under one protocol (protocols.ts): the time of its best plan, or the reason why there is none. */
export interface ProtocolOutcome {
  readonly protocol: string;
  readonly seconds?: Seconds;
  readonly reason?: string;
}

/** What the linear program of rounds found (in-rounds.ts), whether or not it improved the plan. */
export interface RoundsReport {
  /** Name and version for reports, such as `HiGHS 1.15.0`. */
  readonly solver: string;
  /** Time of the best plan before and after this stage. */
  readonly before: Seconds;
  readonly after: Seconds;
  readonly rounds: number;
  /** Steps of the schedule in whole chunks, if that schedule made the better plan. */
  readonly steps: number | undefined;
  /** Time of the rounds with arbitrarily small chunks; not a lower bound. */
  readonly seconds: Seconds;
}

/** The best plan, with the candidates it was chosen from. */
export interface CompileResult {
  readonly bundle: ProvedBundle;
  /** The requested message size. The bundle's may be larger, rounded up to whole units of the machine's messages. */
  readonly asked: Bytes;
  /** The schedule of the best plan, for display. */
  readonly schedule: Schedule;
  /** All candidates, best first. */
  readonly candidates: readonly CandidateOutline[];
  /** The candidates with latency and bandwidth terms; computed on each call. */
  explain(): readonly CandidateReport[];
  readonly dismissed: readonly Dismissal[];
  /** The effort of the search. */
  readonly effort: Effort;
  /** Whether the search was stopped before every candidate was evaluated; the plan is the best of those that were. */
  readonly stoppedEarly: boolean;
  /** The outcomes of all protocols tried; undefined if the machine has no choice of protocols. */
  readonly protocols?: readonly ProtocolOutcome[] | undefined;
  /** The outcome of the linear program of rounds; undefined if none was solved. */
  readonly inRounds?: RoundsReport | undefined;
}

/**
 * Finds the best plan for a request.
 * @throws ContradictedBound for a plan that is faster than a certified bound (a bug in ccc)
 * @throws CccError 'no-plan' if no engine has a schedule; 'stopped' if none had one in time; 'limit' if every schedule exceeds a limit;
 * 'unsupported' for an operator that the chips lack; 'unknown-name' for an unknown engine or algorithm; 'usage' or 'range' for counts that
 * do not fit the collective
 */
export function searchPlan(request: CompileRequest): CompileResult {
  const { topology, size, collective } = request;
  checkShardCounts(collective);
  checkEngines(collective, topology, request.dtype);
  const routes = Routes.of(topology);
  const bound = lowerBound({ ...collective, chunks: request.chunks ?? 1 }, topology, size);
  const { onBest, ...asked } = request;
  const report = (soFar: SearchResult) => onBest?.(resultOf(soFar, request, routes, bound, true));
  const found = new CandidateSearch({ ...asked, onBest: report }, routes, bound.seconds);
  found.run(sourcesOf(found, enginesNamed(request.engine)));
  if (found.evaluated.length === 0) throw nearestLimit(found.exceeded) ?? noPlan(request, found.dismissed);
  const evaluated = withCopyOrders(found.evaluated, request, routes);
  return resultOf({ ...found, evaluated }, request, routes, bound, found.stoppedEarly);
}

/**
 * On machines that stage messages in memory, adds a variant of the best plan with its copies in another order. Algorithms that the user
 * selected by name are left unchanged.
 */
function withCopyOrders(
  priced: readonly EvaluatedCandidate[],
  request: CompileRequest,
  routes: Routes,
): readonly EvaluatedCandidate[] {
  if (request.objective !== 'time' || request.algorithm !== undefined) return priced;
  const [best] = ranked(priced, request.objective, routes);
  const reordered = withCopyOrder(best, request, routes);
  return reordered === undefined ? priced : [...priced, reordered];
}

function resultOf(
  { evaluated, dismissed }: Pick<SearchResult, 'evaluated' | 'dismissed'>,
  request: CompileRequest,
  routes: Routes,
  boundBefore: Bound,
  stoppedEarly: boolean,
): CompileResult {
  const { topology, size, effort = 'full' } = request;
  const order = ranked(evaluated, request.objective, routes);
  const [best] = order;
  const { plan } = best.checked;
  // The outputs of a custom collective are known only once its file has been read, so its bound comes late.
  const found = plan.collective.kind === 'custom' ? lowerBound(plan.collective, topology, size) : boundBefore;
  const bound = consistentBound(
    found,
    { plan, topology, size, seconds: best.cost.seconds },
    { ...request, topology: topology.name },
  );
  const bundle = provedBundle(best, request, bound, originOf(best, request.seed));
  const statusOf = (c: EvaluatedCandidate) => (c === best ? 'chosen' : 'slower');
  const candidates = order.map((c) => outline(c, statusOf(c), bound));
  const explain = () => order.map((c) => candidateReport(c, statusOf(c), bound, routes));
  return {
    bundle,
    asked: size,
    schedule: best.schedule,
    candidates,
    explain,
    dismissed,
    effort,
    stoppedEarly,
  };
}

/**
 * Among the errors of candidates that exceeded a limit, one that needs the least memory: raising that limit is the smallest change to the
 * request.
 */
function nearestLimit(exceeded: readonly CccError[]): CccError | undefined {
  const needed = (error: CccError): Bytes => (error instanceof MemoryExceeded ? error.needed : 0);
  return exceeded.toSorted((a, b) => needed(a) - needed(b))[0];
}

function noPlan({ collective, topology, shouldStop }: CompileRequest, dismissed: readonly Dismissal[]): CccError {
  const what = `${collective.kind} on ${topology.name} (${ranksOf(topology)} ranks)`;
  const failures = dismissed.map(({ name, reason }) => `${name}: ${reason}`);
  const reasons = failures.length === 0 ? 'no schedule is known for it' : failures.join('; ');
  const findings = dismissed.map(({ name, reason }) => ({ subject: name, message: reason }));
  if (shouldStop?.() !== true) return new CccError('no-plan', `no plan for ${what}: ${reasons}`, undefined, findings);
  return new CccError('stopped', `no plan for ${what} before the time was up: ${reasons}`, undefined, findings);
}

/**
 * The whole flow on one page: engines propose schedules, each is lowered to a plan, proved, and priced by simulation;
 * the best is chosen. Nothing is priced, let alone handed out, that has not been proved.
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

/** What `ccc compile` assumes where nothing is said. */
export const searchDefaults: Omit<CompileRequest, 'collective' | 'topology' | 'size'> = {
  dtype: 'f32',
  bulks: 'auto',
  engine: 'auto',
  parameters: {},
  objective: 'time',
  seed: 0,
  limits: defaultLimits,
};

export interface CompileRequest extends Omit<SearchRequest, 'onBest'> {
  readonly dtype: Dtype;
  /** Told, each time that a faster plan has been found, what the answer would be if the search ended there. */
  readonly onBest?: ((result: CompileResult) => void) | undefined;
}

/** What became of a protocol (protocols.ts): the time of its best plan, or why it was not looked at. */
export interface ProtocolOutcome {
  readonly protocol: string;
  readonly seconds?: Seconds;
  readonly reason?: string;
}

/** What the stage of rounds found (in-rounds.ts), better or not. */
export interface RoundsReport {
  /** For people, such as `HiGHS 1.15.0`. */
  readonly solver: string;
  /** The best plan before, and with it. */
  readonly before: Seconds;
  readonly after: Seconds;
  readonly rounds: number;
  /** Of whole chunks, where they made the better plan. */
  readonly steps: number | undefined;
  /** What the rounds take in chunks as small as one likes. No bound. */
  readonly seconds: Seconds;
}

export interface CompileResult {
  readonly bundle: ProvedBundle;
  /** M as it was asked for; the bundle's may be rounded up to what messages of the machine are made of. */
  readonly asked: Bytes;
  /** The chosen schedule, for showing. */
  readonly schedule: Schedule;
  /** All candidates, best first. */
  readonly candidates: readonly CandidateOutline[];
  /** The same with their latency and bandwidth terms; computed when asked for. */
  explain(): readonly CandidateReport[];
  readonly dismissed: readonly Dismissal[];
  /** How much was done for it. */
  readonly effort: Effort;
  /** The work was ended before every candidate had been priced; the plan is the best of those that were. */
  readonly stoppedEarly: boolean;
  /** What the protocols came to that were chosen from; undefined where there was no choice. */
  readonly protocols?: readonly ProtocolOutcome[] | undefined;
  /** What a linear program made of it; undefined where none was asked. */
  readonly inRounds?: RoundsReport | undefined;
}

/**
 * Finds, prices and proves a plan.
 * @throws ContradictedBound for a plan that is faster than a certified bound; CccError 'no-plan' when no engine has a schedule for it, 'stopped' when none had one in time, 'limit' when those that there
 * are exceed one, 'unsupported' for an operator that the chips lack, 'unknown-name' for an engine or algorithm nobody has, 'usage' and 'range' for counts that do not go with the collective
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

/** One more plan on machines that stage messages: the fastest with its copies in another order. Algorithms asked for by name stay as they are known. */
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
  // What a custom collective wants is known when its file has been read.
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

/** Of the limits that candidates exceeded one that asks for least: what it says would do is nearest to what was asked for. */
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

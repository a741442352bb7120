/**
 * The whole flow on one page: engines propose schedules, each is lowered to a plan, proved, and priced by simulation;
 * the best is chosen. Nothing is priced, let alone handed out, that has not been proved.
 */
import { lowerBound, simulate } from './cost/index.ts';
import type { PlanBundle } from './emit/index.ts';
import { type Collective, collectiveFacts } from './ir/collective.ts';
import { CccError } from './ir/diagnostic.ts';
import type { Dtype } from './ir/dtype.ts';
import type { Limits } from './ir/limits.ts';
import { operationCount, type PlanOrigin } from './ir/plan.ts';
import { type Bound, type CostReport, optimality } from './ir/report.ts';
import { Routes } from './ir/routes.ts';
import type { Schedule } from './ir/schedule.ts';
import { ranksOf, type Topology } from './ir/topology.ts';
import type { Bytes, Seconds } from './ir/units.ts';
import type { ProvedPlan } from './ir/verification.ts';
import { lower } from './lower/index.ts';
import { bestDepth, type Candidate, type Dismissal, type Engine, engines, type Problem } from './synth/index.ts';
import { prove } from './verify/index.ts';

/** What makes one plan better than another: time at the size asked for, at size 0, or per byte of very large messages. */
export const objectives = ['time', 'latency', 'bandwidth'] as const;
export type Objective = (typeof objectives)[number];

export interface CompileRequest {
  /** Its `chunks` is ignored: candidates choose theirs unless `chunks` below is given. */
  readonly collective: Collective;
  readonly topology: Topology;
  readonly size: Bytes;
  readonly dtype: Dtype;
  readonly chunks?: number | undefined;
  readonly bulks: number | 'auto';
  /** An engine's name, or `auto` for all that apply. */
  readonly engine: string;
  readonly algorithm?: string | undefined;
  readonly parameters: Readonly<Record<string, number>>;
  readonly objective: Objective;
  /** For engines that search at random. */
  readonly seed: number;
  readonly limits: Limits;
  /** Asked between candidates: true ends the search, the best so far is kept. */
  readonly shouldStop?: () => boolean;
}

/** A candidate with its price. */
export interface PricedCandidate {
  readonly name: string;
  readonly engine: string;
  readonly chunks: number;
  readonly bulks: number;
  readonly steps: number;
  readonly seconds: Seconds;
  readonly optimality: number;
  /** Time for a message of no bytes: the latency term. */
  readonly latency: Seconds;
  /** Seconds per byte of very large messages: the bandwidth term. */
  readonly secondsPerByte: number;
  /** Which lower bounds it meets exactly. */
  readonly meets: readonly ('latency' | 'bandwidth')[];
  readonly status: 'chosen' | 'slower';
}

export interface CompileResult {
  readonly bundle: PlanBundle & { readonly cost: CostReport; readonly bound: Bound };
  /** The chosen schedule, for showing. */
  readonly schedule: Schedule;
  /** All candidates with their latency and bandwidth terms, best first; computed when asked for. */
  explain(): readonly PricedCandidate[];
  readonly dismissed: readonly Dismissal[];
  /** The work was ended before every candidate had been priced; the plan is the best of those that were. */
  readonly stoppedEarly: boolean;
}

/** Operations × bulks that may be simulated while the best number of bulks of one candidate is looked for. */
const tuningEffort = 400_000;
/** Making and proving a plan takes about this many times as long as simulating it. */
const proofEffort = 4;
/** A message so large that latency vanishes in its time, for the bandwidth term. */
const veryLarge: Bytes = 2 ** 50;

/**
 * Finds, prices and proves a plan.
 * @throws CccError 'no-plan' when no engine has a schedule for it, 'unknown-name' for an engine or algorithm nobody has
 */
export function compile(request: CompileRequest): CompileResult {
  const { topology, size } = request;
  const routes = new Routes(topology);
  const { priced, dismissed, stoppedEarly } = priceAll(request, routes);
  if (priced.length === 0) throw noPlan(request, dismissed);
  const order = ranked(priced, request.objective, routes);
  const [best] = order;
  const { proved, cost } = best;
  const bound = lowerBound(proved.plan.collective, topology, size);
  const bundle = { proved, topology, size, dtype: request.dtype, cost, bound, origin: originOf(best, request.seed) };
  const explain = () => order.map((c) => describe(c, c === best ? 'chosen' : 'slower', bound, routes));
  return { bundle, schedule: best.schedule, explain, dismissed, stoppedEarly };
}

/** Asks the engines and prices what they propose, then looks for better pipeline depths, until there is no more time. */
function priceAll(request: CompileRequest, routes: Routes) {
  const dismissed: Dismissal[] = [];
  const priced: Priced[] = [];
  const timeIsUp = (): boolean => priced.length > 0 && request.shouldStop?.() === true;
  const problem: Problem = { ...request, routes, chunks: request.chunks, algorithm: request.algorithm };
  for (const engine of chosenEngines(request.engine)) {
    for (const proposal of engine.propose(problem)) {
      if (timeIsUp()) return { priced, dismissed, stoppedEarly: true };
      const outcome = proposal.kind === 'candidate' ? price(proposal.candidate, request, routes) : proposal;
      if (outcome.kind === 'priced') priced.push(outcome);
      else dismissed.push(outcome.dismissal);
    }
  }
  let bestKnown = Math.min(...priced.map(({ cost }) => cost.seconds));
  for (const [index, single] of priced.entries()) {
    if (timeIsUp()) return { priced, dismissed, stoppedEarly: true };
    priced[index] = tune(single, request, routes, bestKnown);
    bestKnown = Math.min(bestKnown, priced[index].cost.seconds);
  }
  return { priced, dismissed, stoppedEarly: false };
}

/** Best first. Values that differ by rounding only count as equal: then the order in which they were proposed decides. */
function ranked(priced: readonly Priced[], objective: Objective, routes: Routes): readonly Priced[] {
  const rows = priced.map((candidate) => ({
    candidate,
    value: Number(objectiveValue(candidate, objective, routes).toPrecision(12)),
    seconds: Number(candidate.cost.seconds.toPrecision(12)),
  }));
  rows.sort((a, b) => a.value - b.value || a.seconds - b.seconds);
  return rows.map(({ candidate }) => candidate);
}

function originOf(best: Priced, seed: number): PlanOrigin {
  return { ...best.candidate.origin, chunks: best.proved.plan.collective.chunks, seed };
}

function chosenEngines(wanted: string): readonly Engine[] {
  if (wanted === 'auto') return engines;
  const chosen = engines.filter((engine) => engine.name === wanted);
  if (chosen.length > 0) return chosen;
  const names = engines.map((engine) => engine.name).join(', ');
  throw new CccError('unknown-name', `no engine is called '${wanted}'; there are: auto, ${names}`);
}

/** A candidate that has been proved on this machine, with its price. */
interface Priced {
  readonly kind: 'priced';
  readonly candidate: Candidate;
  readonly schedule: Schedule;
  readonly proved: ProvedPlan;
  readonly cost: CostReport;
}

/** A plan that is not correct on this machine has no price: it is dismissed with the verifier's reason. */
type Outcome = Priced | { readonly kind: 'dismissed'; readonly dismissal: Dismissal };

/** The candidate in one bulk, or in as many as the user asked for; dismissed with the verifier's reason if it is wrong here. */
function price(candidate: Candidate, request: CompileRequest, routes: Routes, multiple = 1): Outcome {
  const schedule = candidate.build(multiple);
  const bulks = request.bulks === 'auto' ? 1 : request.bulks;
  const plan = lower(schedule, { bulks, name: `${candidate.name}-${request.topology.name}` });
  const { proved, verification } = prove(plan, { topology: request.topology });
  if (proved === undefined) {
    const [finding] = verification.findings;
    const reason = `not correct on this machine (${verification.verdict}): ${finding?.message ?? 'no finding'}`;
    return { kind: 'dismissed', dismissal: { name: candidate.name, reason } };
  }
  return { kind: 'priced', candidate, schedule, proved, cost: simulate(plan, routes, request.size) };
}

/**
 * The candidate with the pipeline depth that suits the size best. However deep, no fewer bytes cross its busiest link;
 * where these alone take longer than the best plan known, nothing is tried.
 */
function tune(single: Priced, request: CompileRequest, routes: Routes, bestKnown: Seconds): Priced {
  if (leastLinkTime(single, routes) >= bestKnown) return single;
  const inBulks = request.bulks === 'auto' ? withBestBulks(single, request, routes) : single;
  return request.chunks === undefined ? withBestChunks(single, inBulks, request, routes) : inBulks;
}

/** The plan's program run for several slices of the message in turn. */
function withBestBulks(single: Priced, request: CompileRequest, routes: Routes): Priced {
  // All plans with several bulks are the same but for their number, so one lowering serves them.
  const pipelined = lower(single.schedule, { bulks: 2, name: single.proved.plan.name });
  const simulated = (bulks: number): CostReport => simulate({ ...pipelined, bulks }, routes, request.size);
  const depth = bestDepth(
    (bulks) => (bulks === 1 ? single.cost : simulated(bulks)).seconds,
    tuningEffort,
    effortFor((bulks) => bulks * operationCount(pipelined), tuningEffort),
  );
  if (depth === 1) return single;
  const { proved } = prove({ ...pipelined, bulks: depth }, { topology: request.topology });
  return proved === undefined ? single : { ...single, proved, cost: simulated(depth) };
}

/**
 * More chunks instead of more bulks, for schedules whose steps are a pipeline themselves. Bulks do the same with smaller
 * plans, except where reducing and sending exclude each other: there the order that steps give keeps neighbours in time.
 */
function withBestChunks(single: Priced, best: Priced, request: CompileRequest, routes: Routes): Priced {
  const exclusive = request.topology.nodes.some((node) => node.reduce !== undefined && !node.reduce.overlap);
  if (!exclusive || !collectiveFacts[request.collective.kind].reduces || best === single) return best;
  const steps = single.schedule.steps.stepCount;
  if (single.candidate.build(2).steps.stepCount === steps) return best;
  let found = best;
  bestDepth(
    (multiple) => {
      const outcome = multiple === 1 ? single : price(single.candidate, request, routes, multiple);
      if (outcome.kind === 'dismissed') return Number.POSITIVE_INFINITY;
      if (outcome.cost.seconds < found.cost.seconds) found = outcome;
      return outcome.cost.seconds;
    },
    request.limits.chunks,
    effortFor((multiple) => proofEffort * multiple * operationCount(single.proved.plan), tuningEffort),
  );
  return found;
}

/** Lets a search go on until it has spent its effort. */
function effortFor(cost: (depth: number) => number, most: number): (depth: number) => boolean {
  let spent = 0;
  return (depth) => {
    spent += cost(depth);
    return spent <= most;
  };
}

/** What the bytes over the busiest link take at its bandwidth. */
function leastLinkTime({ cost }: Priced, { topology }: Routes): Seconds {
  return Math.max(0, ...cost.links.map(({ link, bytes }) => bytes / topology.links[link].bandwidth));
}

function objectiveValue(candidate: Priced, objective: Objective, routes: Routes): number {
  switch (objective) {
    case 'time':
      return candidate.cost.seconds;
    case 'latency':
      return simulate(candidate.proved.plan, routes, 0).seconds;
    case 'bandwidth':
      return simulate(candidate.proved.plan, routes, veryLarge).seconds;
  }
}

function describe(priced: Priced, status: PricedCandidate['status'], bound: Bound, routes: Routes): PricedCandidate {
  const { cost, candidate, schedule } = priced;
  const { plan } = priced.proved;
  const latency = simulate(plan, routes, 0).seconds;
  const large = simulate(plan, routes, veryLarge).seconds;
  const met = (size: Bytes, seconds: Seconds): boolean =>
    optimality(lowerBound(plan.collective, routes.topology, size).seconds, seconds) > 1 - 1e-6;
  return {
    name: candidate.name,
    engine: candidate.origin.engine,
    chunks: plan.collective.chunks,
    bulks: plan.bulks,
    steps: schedule.steps.stepCount,
    seconds: cost.seconds,
    optimality: optimality(bound.seconds, cost.seconds),
    latency,
    secondsPerByte: (large - latency) / veryLarge,
    meets: [
      ...(met(0, latency) ? (['latency'] as const) : []),
      ...(met(veryLarge, large) ? (['bandwidth'] as const) : []),
    ],
    status,
  };
}

function noPlan({ collective, topology }: CompileRequest, dismissed: readonly Dismissal[]): CccError {
  const what = `${collective.kind} on ${topology.name} (${ranksOf(topology)} ranks)`;
  const failures = dismissed.map(({ name, reason }) => `${name}: ${reason}`);
  const reasons = failures.length === 0 ? 'no schedule is known for it' : failures.join('; ');
  return new CccError('no-plan', `no plan for ${what}: ${reasons}`);
}

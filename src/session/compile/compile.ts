/**
 * Makes a plan from a collective; `ccc compile` and programs both call this function. Short searches run in the calling thread; others in a
 * worker, and with a time limit in one worker for each processor.
 */
import { chipsAreAlike } from '../../graph/index.ts';
import { compactKinds } from '../../ir/compact.ts';
import { CccError } from '../../ir/diagnostic.ts';
import { ranksOf } from '../../ir/topology.ts';
import type { CollectiveRequest } from '../collectives.ts';
import { Job } from '../job.ts';
import { settingsOf } from '../job-options.ts';
import { searching } from '../limits.ts';
import { failureOf, type Outcome } from '../outcome.ts';
import { platform } from '../platform.ts';
import { emitterNamed } from '../targets.ts';
import type { JobSettings } from '../workers/job-settings.ts';
import { runJob } from '../workers/run-job.ts';
import type { CompiledCompactPlan } from './compact-plan.ts';
import { CompiledPlan } from './compiled-plan.ts';
import { checkRequestFitsLimits } from './fits.ts';
import { type FoundPlan, resultOf } from './found-plan.ts';
import type { CompileOptions } from './options.ts';
import { asksAllEngines, hasLanes, type PlainPlanRequest, planRequest } from './plan-request.ts';
import type { PlanWork } from './search-job.ts';

/** A plan of its own for every rank, or one program that all ranks run shifted. */
export type AnyCompiledPlan = CompiledPlan | CompiledCompactPlan;

export type CompileOutcome = Outcome<{ readonly plan: AnyCompiledPlan }>;

/** A running `compile`: iterating gives each better plan, awaiting gives the outcome. */
export type CompileJob = Job<CompiledPlan, CompileOutcome>;

/**
 * Finds the best plan for a collective on a machine. The plan is proved by the kernel, its time is simulated, and a lower bound that holds for any
 * plan stands beside it.
 *
 * ```ts
 * const machine = await Machine.load('dgx1');
 * const job = compile(allreduce(machine, { size: '1MiB' }), { signal: AbortSignal.timeout(10_000) });
 * for await (const better of job) console.log(better.time, better.gap);
 * const outcome = await job;
 * if (outcome.ok) await outcome.plan.write('plan.json');
 * else console.log(outcome.reason, outcome.message);
 * ```
 * No plan, a limit, and the end of the time are outcomes. The job is rejected with a CccError for a mistake in the request: 'usage', 'unknown-name',
 * 'range', 'file' and those of the readers of files.
 */
export function compile(request: CollectiveRequest, options: CompileOptions = {}): CompileJob {
  return new Job<CompiledPlan, CompileOutcome>(async ({ onBetter }) => {
    try {
      return { ok: true, plan: await planFor(request, options, onBetter) };
    } catch (error) {
      return failureOf(await withCompactHint(error, request));
    }
  });
}

async function planFor(
  collective: CollectiveRequest,
  options: CompileOptions,
  onBetter: (plan: CompiledPlan) => void,
): Promise<AnyCompiledPlan> {
  if (options.compact === true) {
    const { compactPlan } = await import('./compact-plan.ts');
    return compactPlan(collective, options);
  }
  const { machine } = collective;
  const target = await emitterNamed(options.target ?? 'json');
  const wanted = await planRequest(collective, options);
  // If the machine models thread blocks (lanes), a plan for a target without bulks is searched for in one bulk. Otherwise it is unknown how the
  // target's runtime slices messages, and a plan that gains by bulks will gain by these slices, too.
  const isInOneBulk = target.inOneBulk !== undefined && wanted.bulks === 'auto' && hasLanes(machine.data);
  const request = isInOneBulk ? { ...wanted, bulks: 1 } : wanted;
  if (options.compact !== false && prefersCompact(collective, request, options)) {
    const { compactPlanIfAny } = await import('./compact-plan.ts');
    const compact = await compactPlanIfAny(collective, options);
    if (compact !== undefined) return compact;
  }
  checkRequestFitsLimits(request);
  const work = { machine: machine.data, request, target: target.name, fillsTime: options.timeLimit !== undefined };
  const notes = isInOneBulk ? [`${target.name} has no bulks: the plan is the best that was found in one`] : [];
  const planOf = (found: FoundPlan): CompiledPlan => new CompiledPlan(found, { collective, options, notes, request });
  const settings = settingsOf(
    options,
    ({ value }: FoundPlan) => value,
    (found) => onBetter(planOf(found)),
  );
  const found = await (request.engine === 'exact' ? solved : searched)(work, options, settings);
  return planOf(found);
}

type PlainWork = Omit<PlanWork, 'solver' | 'roundsSolver'>;

/**
 * Searches with the engines that need no solver, then with the last stage, which needs one. A short search runs in the calling thread, solving always
 * in a worker.
 */
async function searched(
  work: PlainWork,
  { timeLimit, solver = 'auto' }: CompileOptions,
  settings: JobSettings<FoundPlan>,
): Promise<FoundPlan> {
  const { request } = work;
  const roundsSolver = solver === 'none' ? undefined : solver;
  if (timeLimit !== undefined || !isShort(request)) {
    const parallelism = (await platform().workerHost())?.parallelism ?? 1;
    const workers = timeLimit === undefined ? 1 : Math.min(parallelism, searching.workers);
    return runJob('compile', { ...work, solver: undefined, roundsSolver }, { ...settings, workers });
  }
  const here = { ...settings, isShort: true };
  const known = await runJob('compile', { ...work, solver: undefined, roundsSolver: undefined }, here);
  if (roundsSolver === undefined || known.groups !== undefined) return known;
  const { mayGainInRounds } = await import('../../search/in-rounds.ts');
  if (!mayGainInRounds(resultOf(known), request)) return known;
  return runJob('compile', { ...work, solver: undefined, roundsSolver, known }, settings);
}

/** Whether a search is over before it would pay to stop it. */
function isShort({ effort, exhaustive, chunks, bulks, collective, topology }: PlainPlanRequest): boolean {
  const ranks = ranksOf(topology);
  if (ranks <= (effort === 'quick' ? searching.quickRanksAtOnce : searching.ranksAtOnce)) return true;
  const isPlain = collective.kind === 'allgather' && chunks !== undefined && bulks !== 'auto' && exhaustive !== true;
  return isPlain && ranks ** 2 * chunks <= searching.movesAtOnce && chipsAreAlike(topology);
}

/**
 * Searches with the exact engine. A single shape (chunks, steps, rounds) is first tried without a solver: most shapes are found by construction,
 * which takes less time than loading a solver.
 */
async function solved(
  work: PlainWork,
  { timeLimit, solver = 'auto', onModel, onProgress }: CompileOptions,
  settings: JobSettings<FoundPlan>,
): Promise<FoundPlan> {
  if (solver === 'none')
    throw new CccError('usage', 'the exact engine needs a solver: --solver none leaves it without');
  const { chunks, parameters, topology } = work.request;
  const isOneShape = chunks !== undefined && parameters.steps !== undefined && parameters.rounds !== undefined;
  if (isOneShape && onModel === undefined && solver === 'auto' && timeLimit === undefined) {
    try {
      const here = { ...settings, isShort: true };
      return await runJob('compile', { ...work, solver: undefined, roundsSolver: undefined }, here);
    } catch (error) {
      if (!(error instanceof CccError) || error.code !== 'no-plan') throw error;
    }
  }
  // A single shape has no intermediate results, so a worker, which takes time to start, helps only callers that watch the job.
  const isWatched = onProgress !== undefined || timeLimit !== undefined;
  const short = isOneShape && !isWatched && ranksOf(topology) <= searching.ranksAtOnce;
  return runJob('compile', { ...work, solver, roundsSolver: undefined }, { ...settings, isShort: short });
}

/** Whether to answer with a compact plan: a full one would take minutes, and the request asks for nothing that compact plans lack. */
function prefersCompact(
  { machine, collective }: CollectiveRequest,
  { objective, exhaustive, engine, algorithm }: PlainPlanRequest,
  { effort, timeLimit, chunks, parameters, target = 'json', onModel }: CompileOptions,
): boolean {
  const isMany = collective.ranks > searching.ranksInFull && compactKinds.includes(collective.kind);
  const isPlain = asksAllEngines({ engine, algorithm }) && objective === 'time' && exhaustive !== true;
  const isWhole = machine.groups === undefined && collective.counts === undefined && !collective.ordered;
  const asked = [effort, timeLimit, chunks, parameters, onModel];
  return (
    isMany && isPlain && target === 'json' && isWhole && machine.isUnchanged && asked.every((one) => one === undefined)
  );
}

/** Adds to an error about a plan that is too large the hint that a compact plan would help, if the machine can have one. */
async function withCompactHint(error: unknown, { machine, collective }: CollectiveRequest): Promise<unknown> {
  if (!(error instanceof CccError) || error.code !== 'limit' || error.message.includes('--compact')) return error;
  if (!compactKinds.includes(collective.kind)) return error;
  const { withCompactHint: hinted } = await import('./compact-plan.ts');
  return hinted(error, machine);
}

/**
 * Makes a given schedule faster on a machine by local search: moves are tried one after the other, and each result that
 * is proved correct and faster is kept. Finally the engines search the same collective from scratch, and their plan is
 * returned if it is faster still.
 */

import { lowerBound } from '../bounds/index.ts';
import { type Collective, collectiveFacts } from '../ir/collective.ts';
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import { type Dtype, dtypeBytes, operatorLacking } from '../ir/dtype.ts';
import type { Limits } from '../ir/limits.ts';
import type { Bound } from '../ir/report.ts';
import { Routes } from '../ir/routes.ts';
import type { Schedule } from '../ir/schedule.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import { type Bytes, counted, defaultMessageSize, type Seconds } from '../ir/units.ts';
import { convert } from '../jobs/convert.ts';
import { simulate } from '../model/index.ts';
import { instantiate, parseScheduleFile, type ScheduleRequest } from '../read/index.ts';
import { type CompileRequest, type CompileResult, searchPlan } from '../search/compile.ts';
import { consistentBound } from '../search/consistent-bound.ts';
import { mayGainInRounds, withRounds } from '../search/in-rounds.ts';
import { type ProvedBundle, provedBundle } from '../search/proved-bundle.ts';
import { loadSolver, type SolverName } from '../solver/index.ts';
import { type Improvement, MoveSearch } from './search.ts';
import { scheduleInSteps } from './steps.ts';

export type { Improvement } from './search.ts';

export interface OptimizeRequest extends Omit<ScheduleRequest, 'ranks' | 'limits'> {
  readonly topology: Topology;
  /** M; default: the size in the plan's document, or else 64 MiB. */
  readonly size?: Bytes | undefined;
  readonly dtype: Dtype;
  readonly limits: Limits;
  /** False skips the search by engines from scratch. */
  readonly fromScratch?: boolean | undefined;
  /** The solver for linear programs in the search from scratch (docs/ilp.md); none if absent. */
  readonly solver?: SolverName | undefined;
  readonly shouldStop?: (() => boolean) | undefined;
  /** Called after reading, and after each improvement, with the result if the search ended there. */
  readonly onBest?: ((result: OptimizeResult) => void) | undefined;
}

export interface OptimizeResult {
  /** The faster plan, or the one that was given where nothing helped. */
  readonly bundle: ProvedBundle;
  readonly before: { readonly name: string; readonly seconds: Seconds; readonly bulks: number };
  readonly seconds: Seconds;
  readonly bound: Bound;
  /** In the order in which they were made; empty if nothing helped. */
  readonly improvements: readonly Improvement[];
  /** The best plan of the engines for the same collective; undefined if they have none, or were not run. */
  readonly engines: { readonly name: string; readonly seconds: Seconds } | undefined;
  /** True if the time was up before everything was tried, or before the engines were run. */
  readonly stoppedEarly: boolean;
  /** Reasons why not everything was tried. */
  readonly notes: readonly string[];
}

/**
 * Reads, proves and improves a schedule or plan.
 * @throws CccError 'unproved' for a file that is wrong, and those of reading
 */
export async function optimize(source: SourceText, request: OptimizeRequest): Promise<OptimizeResult> {
  const { topology, dtype, limits, shouldStop } = request;
  const routes = new Routes(topology);
  const { bundle } = await convert(source, request);
  const given = bundle.proved;
  const { collective, name } = given.plan;
  if (given.plan.ops.nanoseconds !== undefined) {
    throw new CccError('unsupported', `${name} computes between its messages, which a faster plan would leave out`);
  }
  const lacking = collectiveFacts[collective.kind].reduces ? operatorLacking(collective.op, dtype) : undefined;
  if (lacking !== undefined) throw new CccError('usage', `--op ${lacking}`);
  // The messages of a barrier carry one element, whatever the size of others.
  const size = collective.kind === 'barrier' ? dtypeBytes[dtype] : (bundle.size ?? defaultMessageSize);
  if (collective.ranks !== ranksOf(topology)) {
    const message = `${name} is for ${counted(collective.ranks, 'rank')}, but ${topology.name} has ${ranksOf(topology)}`;
    throw new CccError('usage', message);
  }
  const cost = simulate(given.plan, routes, size);
  const bound = lowerBound(collective, topology, size);
  const schedule = await scheduleIn(source, request, () => scheduleInSteps(given.plan));
  const resultOf = (
    { best, improvements, notes }: MoveSearch,
    engines: OptimizeResult['engines'],
    stoppedEarly: boolean,
  ): OptimizeResult => {
    const asGiven = { checked: { plan: given.plan, topology }, cost, candidate: { name } };
    const { checked, cost: after, candidate } = best ?? asGiven;
    const steps = improvements.map(({ what }) => what).join('; ');
    const origin = { engine: 'optimize', schedule: name, recipe: candidate.name, improvements: steps };
    const { plan } = checked;
    const found = { plan, topology, size, seconds: after.seconds };
    const asked = { optimized: name, collective, size, dtype };
    const nowBound = consistentBound(lowerBound(plan.collective, topology, size), found, asked);
    return {
      bundle: provedBundle({ checked, cost: after }, { topology, size, dtype, limits }, nowBound, origin),
      before: { name, seconds: cost.seconds, bulks: given.plan.bulks },
      seconds: after.seconds,
      bound: consistentBound(bound, found, asked),
      improvements: [...improvements],
      engines,
      stoppedEarly,
      notes: [...notes],
    };
  };
  const onBetter = (soFar: MoveSearch): void => request.onBest?.(resultOf(soFar, undefined, true));
  const asked = { collective, topology, size, limits, shouldStop, bulks: 'auto' } as const;
  const search = new MoveSearch(asked, routes, cost.seconds, onBetter);
  onBetter(search);
  if (schedule !== undefined) {
    search.run(schedule);
    search.resize(schedule, bound.seconds);
  } else search.notes.push('the messages of this plan cannot be arranged in steps, so nothing was tried');
  const hasToEnd = (): boolean => shouldStop?.() === true;
  if (hasToEnd() || request.fromScratch === false) return resultOf(search, undefined, hasToEnd());
  const scratch = await fromScratch(collective, { ...request, size });
  if (scratch === undefined) return resultOf(search, undefined, hasToEnd());
  const { proved, cost: scratchCost, origin } = scratch.bundle;
  search.replace(
    {
      checked: { plan: proved.plan, topology },
      cost: scratchCost,
      candidate: { name: origin?.recipe ?? proved.plan.name },
    },
    `replaced by a plan compiled from scratch: ${proved.plan.name}`,
  );
  return resultOf(search, { name: proved.plan.name, seconds: scratchCost.seconds }, hasToEnd());
}

/** The schedule in a file; a plan is converted to steps. */
async function scheduleIn(
  source: SourceText,
  request: OptimizeRequest,
  ofPlan: () => Schedule | undefined,
): Promise<Schedule | undefined> {
  switch (/\S/.exec(source.text)?.[0]) {
    case '<':
      return ofPlan();
    case '{': {
      const { isScclText, readSccl } = await import('../read/sccl/index.ts');
      return isScclText(source) ? readSccl(source, request) : ofPlan();
    }
    default:
      return instantiate(parseScheduleFile(source, request), { ...request, ranks: ranksOf(request.topology) });
  }
}

/** The result of `compile` followed by the rounds engine; undefined if there is no plan, or no time. */
async function fromScratch(
  collective: Collective,
  request: OptimizeRequest & { readonly size: Bytes },
): Promise<CompileResult | undefined> {
  const { topology, size, dtype, limits, shouldStop, solver } = request;
  const asked: CompileRequest = {
    collective,
    topology,
    size,
    dtype,
    limits,
    shouldStop,
    bulks: 'auto',
    engine: 'auto',
    parameters: {},
    objective: 'time',
    seed: 0,
  };
  try {
    const found = searchPlan(asked);
    if (solver === undefined || shouldStop?.() === true || !mayGainInRounds(found, asked)) return found;
    return withRounds(found, asked, await loadSolver(solver));
  } catch (error) {
    const isNone = error instanceof CccError && ['no-plan', 'limit', 'stopped'].includes(error.code);
    if (isNone) return undefined;
    throw error;
  }
}

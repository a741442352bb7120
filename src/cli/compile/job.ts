/** The search of `ccc compile`: the best plan there is time for. */

import { CccError } from '../../ir/diagnostic.ts';
import { optimality } from '../../ir/report.ts';
import { formatSeconds } from '../../ir/units.ts';
import type { Baselines } from '../../search/baselines.ts';
import type { CompileRequest } from '../../search/compile.ts';
import type { SolverName } from '../../solver/index.ts';
import { libraryEngine } from '../../synth/index.ts';
import { emitterNamed } from '../emitters.ts';
import type { JobControl } from '../jobs/job.ts';
import { optimizeLate } from '../jobs/late-optimizing.ts';
import { solverHelp } from '../solver-options.ts';
import { BestFound, type CompiledOrGroups } from './best-found.ts';
import { type FoundPlan, foundPlan, foundPlanResult } from './found-plan.ts';
import { improvedInRounds } from './in-rounds.ts';
import { searching } from './limits.ts';
import { type CompileOptions, hasLanes, isWide, type MachineRequest } from './request.ts';

export interface CompileWork extends MachineRequest {
  readonly options: CompileOptions;
  /** Who solves linear models; left out, nobody does. */
  readonly solver: SolverName | undefined;
  /** Who looks for schedules in rounds in the end; left out, nobody does. */
  readonly inRounds: SolverName | undefined;
  /** The search is over, with this: only the end of it is left to do. */
  readonly known?: FoundPlan;
}

/** Compiles; where there is a time limit, again and again with the seeds that follow, for the best of all that there is time for. */
export async function compileJob(work: CompileWork, control: JobControl<FoundPlan>): Promise<FoundPlan> {
  const { request, options } = work;
  optimizeLate(request.collective.ranks);
  try {
    const { solver, onModel } = await solverHelp(work.solver, control);
    const { shouldStop } = control;
    const onProgress = (priced: number, best: number): void =>
      control.onProgress(`${priced} candidates priced, best ${formatSeconds(best)}`);
    const found = new BestFound(request, (best, value) => control.onResult(foundPlan(best, value)));
    const lackingRoom = await roomOf(work);
    const watched = { ...request, solver, onModel, shouldStop, onProgress, lackingRoom };
    const best =
      work.known === undefined
        ? await search(work, control, watched, found)
        : await ended(work.known, work, control, found);
    const plan = foundPlan(best, found.valueOf(best));
    if (options.explain !== true) return plan;
    control.onResult(plan);
    const explained = { ...plan, explained: best.explain() };
    control.onResult(explained);
    return { ...explained, baselines: await baselinesOf(work, shouldStop) };
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    throw await (await import('../compact/compile.ts')).withCompactHint(error, request.collective.kind, options);
  }
}

/** What the target says of plans, where messages may be split over lanes. */
async function roomOf({ machine, options }: CompileWork): Promise<CompileRequest['lackingRoom']> {
  return hasLanes(machine) ? (await emitterNamed(options.emit)).lackingRoom : undefined;
}

/** Of one group of chips with shards of equal size: NCCL has no others. */
async function baselinesOf(
  { request, machine }: CompileWork,
  shouldStop: () => boolean,
): Promise<Baselines | undefined> {
  if (machine.groups !== undefined || request.collective.counts !== undefined || shouldStop()) return undefined;
  const { baselinesFor, hasBaseline } = await import('../../search/baselines.ts');
  return hasBaseline(request.collective.kind) ? baselinesFor({ ...request, shouldStop }) : undefined;
}

async function search(
  { machine, options, inRounds }: CompileWork,
  control: JobControl<FoundPlan>,
  request: CompileRequest,
  found: BestFound,
): Promise<CompiledOrGroups> {
  const { index, workers, shouldStop } = control;
  const compileWith = await compilerFor(machine);
  const onBest = (better: CompiledOrGroups): void => found.consider(better);
  const compileWatched = (changed: Partial<CompileRequest>): CompiledOrGroups =>
    compileWith({ ...request, ...changed, onBest });
  const seed = request.seed + index;
  if (options.timeLimit === undefined) {
    const isLong = request.effort === 'full' && isWide(options) && request.collective.ranks > searching.manyRanks;
    // Its plan is there to be kept when Ctrl-C ends the search; what comes of that is no slower.
    if (isLong) attempt(() => compileWatched(firstPlan(request)));
    const best = compileWatched({ seed });
    found.conclude(best);
    return improvedInRounds(best, request, inRounds, control);
  }
  // One worker sees to it that there is a plan soon on large machines; others have begun to look for the best by then.
  if (index === 0 && isWide(options) && request.collective.ranks > searching.quickRanksAtOnce) {
    const early = attempt(() => compileWatched(firstPlan(request)));
    if (early !== undefined) found.conclude(early);
  }
  found.concludeAll(compileWatched({ seed }));
  if (index === 0) found.conclude(await improvedInRounds(found.best, request, inRounds, control));
  // Only searches at random gain from another seed.
  const engine = request.engine === 'auto' ? 'list' : request.engine;
  for (let next = seed + workers; !shouldStop() && !isAtBound(found.best); next += workers) {
    const again = attempt(() => compileWatched({ engine, seed: next }));
    if (again === undefined) break;
    found.conclude(again);
  }
  return found.best;
}

/** The end of a search that another thread has done. */
async function ended(
  known: FoundPlan,
  { request, inRounds }: CompileWork,
  control: JobControl<FoundPlan>,
  found: BestFound,
): Promise<CompiledOrGroups> {
  const before = foundPlanResult(known);
  found.concludeAll(before);
  return improvedInRounds(before, { ...request, shouldStop: control.shouldStop }, inRounds, control);
}

/** A textbook algorithm of few messages. */
function firstPlan({ collective: { ranks }, limits, bulks }: CompileRequest): Partial<CompileRequest> {
  const operations = Math.min(limits.operations, ranks * searching.messagesOfFirst);
  const inBulks = bulks === 'auto' ? 1 : bulks;
  return { effort: 'quick', engine: libraryEngine.name, bulks: inBulks, limits: { ...limits, operations } };
}

/** For the machine, or for all its groups at once: these have a first plan when each group has one. */
async function compilerFor({
  groups,
  alternatives,
}: CompileWork['machine']): Promise<(request: CompileRequest) => CompiledOrGroups> {
  if (groups === undefined) {
    const { compile } = await import('../../search/compile.ts');
    if (alternatives === undefined) return compile;
    const { compileUnderProtocols } = await import('../../search/protocols.ts');
    return (request) => compileUnderProtocols(request, alternatives, compile);
  }
  const { compileGroups } = await import('../../process-groups/groups.ts');
  return (request) => compileGroups(request, groups);
}

function attempt(work: () => CompiledOrGroups): CompiledOrGroups | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof CccError) return undefined;
    throw error;
  }
}

function isAtBound({ bundle: { bound, cost } }: CompiledOrGroups): boolean {
  return bound === undefined || optimality(bound.seconds, cost.seconds) > 0.9999;
}

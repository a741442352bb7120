/** The search for a plan as a job, which ends with the best plan found in the available time. */
import { CccError } from '../../ir/diagnostic.ts';
import { optimality } from '../../ir/report.ts';
import { formatSeconds } from '../../ir/units.ts';
import type { Baselines } from '../../search/baselines.ts';
import type { CompileRequest } from '../../search/compile.ts';
import type { SolverName } from '../../solver/index.ts';
import { libraryEngine } from '../../synth/index.ts';
import { searching } from '../limits.ts';
import type { MachineData } from '../machine/edited-machine.ts';
import { platform } from '../platform.ts';
import { solverHelp } from '../solver-help.ts';
import { emitterNamed } from '../targets.ts';
import type { JobControl } from '../workers/job-control.ts';
import { BestFound, type Compiled } from './best-found.ts';
import { type FoundPlan, foundPlan, resultOf } from './found-plan.ts';
import { improvedInRounds } from './in-rounds.ts';
import { asksAllEngines, hasLanes, type PlainPlanRequest } from './plan-request.ts';

/** The assignment of a worker. */
export interface PlanWork {
  readonly machine: MachineData;
  readonly request: PlainPlanRequest;
  /** The target format, whose limits the search keeps to. */
  readonly target: string;
  /** Whether to use up the time limit by searching with one random seed after another. */
  readonly fillsTime: boolean;
  /** The solver for engines that need one; undefined: these engines are not used. */
  readonly solver: SolverName | undefined;
  /** The solver for the last stage, which mixes schedules in rounds; undefined: the stage is left out. */
  readonly roundsSolver: SolverName | undefined;
  /** The result of a search that another thread has done: only the last stage is left. */
  readonly known?: FoundPlan;
}

export async function searchJob(work: PlanWork, control: JobControl<FoundPlan>): Promise<FoundPlan> {
  const { request } = work;
  if (request.collective.ranks <= searching.ranksToOptimizeLate) platform().optimizeLate();
  const { solver, onModel } = await solverHelp(work.solver, control);
  const { shouldStop } = control;
  const onProgress = (evaluated: number, best: number): void =>
    control.onProgress(`${evaluated} candidates evaluated, best ${formatSeconds(best)}`);
  const found = new BestFound(request, (best, value) => control.onResult(foundPlan(best, value)));
  const lackingRoom = await roomOf(work);
  const watched = { ...request, solver, onModel, shouldStop, onProgress, lackingRoom };
  const best =
    work.known === undefined
      ? await search(work, control, watched, found)
      : await lastStage(work.known, work, control, found);
  const plan = foundPlan(best, found.valueOf(best));
  if (request.exhaustive !== true) return plan;
  control.onResult(plan);
  const explained = { ...plan, explained: best.explain() };
  control.onResult(explained);
  return { ...explained, baselines: await baselinesOf(work, shouldStop) };
}

/** Returns the target's check of its capacity, for targets with bulks and for messages that may be split over lanes. */
async function roomOf({ machine, target }: PlanWork): Promise<CompileRequest['lackingRoom']> {
  const { lackingRoom, inOneBulk } = await emitterNamed(target);
  return inOneBulk === undefined || hasLanes(machine) ? lackingRoom : undefined;
}

/** Evaluates NCCL's rings and trees, for one group of ranks and shards of equal size; NCCL has no other collectives. */
async function baselinesOf({ request, machine }: PlanWork, shouldStop: () => boolean): Promise<Baselines | undefined> {
  if (machine.groups !== undefined || request.collective.counts !== undefined || shouldStop()) return undefined;
  const { baselinesFor, hasBaseline } = await import('../../search/baselines.ts');
  return hasBaseline(request.collective.kind) ? baselinesFor({ ...request, shouldStop }) : undefined;
}

async function search(
  { machine, fillsTime, roundsSolver }: PlanWork,
  control: JobControl<FoundPlan>,
  request: CompileRequest,
  found: BestFound,
): Promise<Compiled> {
  const { index, workers, shouldStop } = control;
  const compileWith = await compilerFor(machine);
  const onBest = (better: Compiled): void => found.consider(better);
  const compileWatched = (changed: Partial<CompileRequest>): Compiled =>
    compileWith({ ...request, ...changed, onBest });
  const seed = request.seed + index;
  const isWide = asksAllEngines(request);
  const { ranks } = request.collective;
  if (!fillsTime) {
    const isLong = request.effort === 'full' && isWide && ranks > searching.manyRanks;
    // The first plan is the result if the search is stopped. The complete search considers it, too, so its plan is no slower.
    if (isLong) attempt(() => compileWatched(firstPlan(request)));
    const best = compileWatched({ seed });
    found.conclude(best);
    return improvedInRounds(best, request, roundsSolver, control);
  }
  // On large machines one worker first finds a quick plan, so that there is a result soon; the other workers search for the best one meanwhile.
  if (index === 0 && isWide && ranks > searching.quickRanksAtOnce) {
    const early = attempt(() => compileWatched(firstPlan(request)));
    if (early !== undefined) found.conclude(early);
  }
  found.concludeAll(compileWatched({ seed }));
  if (index === 0) found.conclude(await improvedInRounds(found.best, request, roundsSolver, control));
  // Another seed makes a difference only to randomised engines.
  const engine = request.engine === 'auto' ? 'list' : request.engine;
  for (let next = seed + workers; !shouldStop() && !isAtBound(found.best); next += workers) {
    const again = attempt(() => compileWatched({ engine, seed: next }));
    if (again === undefined) break;
    found.conclude(again);
  }
  return found.best;
}

/** Runs the last stage (rounds by linear programming) on the result of a search in another thread. */
async function lastStage(
  known: FoundPlan,
  { request, roundsSolver }: PlanWork,
  control: JobControl<FoundPlan>,
  found: BestFound,
): Promise<Compiled> {
  const before = resultOf(known);
  found.concludeAll(before);
  return improvedInRounds(before, { ...request, shouldStop: control.shouldStop }, roundsSolver, control);
}

/** Returns a request for a textbook algorithm with few messages, which takes next to no time. */
function firstPlan({ collective: { ranks }, limits, bulks }: CompileRequest): Partial<CompileRequest> {
  const operations = Math.min(limits.operations, ranks * searching.messagesOfFirst);
  const inBulks = bulks === 'auto' ? 1 : bulks;
  return { effort: 'quick', engine: libraryEngine.name, bulks: inBulks, limits: { ...limits, operations } };
}

/** Returns the function that compiles a request: for the machine, for the best of its protocols, or for all its process groups at once. */
async function compilerFor({ groups, alternatives }: MachineData): Promise<(request: CompileRequest) => Compiled> {
  if (groups === undefined) {
    const { searchPlan } = await import('../../search/compile.ts');
    if (alternatives === undefined) return searchPlan;
    const { compileUnderProtocols } = await import('../../search/protocols.ts');
    return (request) => compileUnderProtocols(request, alternatives, searchPlan);
  }
  const { compileGroups } = await import('../../process-groups/groups.ts');
  return (request) => compileGroups(request, groups);
}

function attempt(work: () => Compiled): Compiled | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof CccError) return undefined;
    throw error;
  }
}

function isAtBound({ bundle: { bound, cost } }: Compiled): boolean {
  return bound === undefined || optimality(bound.seconds, cost.seconds) > 0.9999;
}

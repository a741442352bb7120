/** The search of `ccc compile`: the best plan there is time for. */
import type { PricedCandidate } from '../compile/comparing.ts';
import type { CompileRequest, CompileResult } from '../compile/compile.ts';
import type { GroupsResult } from '../compile/groups.ts';
import { CccError } from '../ir/diagnostic.ts';
import { optimality } from '../ir/report.ts';
import { formatSeconds } from '../ir/units.ts';
import type { SolverName } from '../synth/index.ts';
import { type CompileOptions, isWide, type MachineRequest } from './compile-request.ts';
import type { JobControl } from './jobs/job.ts';
import { optimizeLate } from './jobs/late-optimizing.ts';
import { solverHelp } from './solver-options.ts';

export interface CompileWork extends MachineRequest {
  readonly options: CompileOptions;
  /** Who solves linear models; left out, nobody does. */
  readonly solver: SolverName | undefined;
}

/** A plan as it goes from one thread to another: with explanations instead of a function that makes them. */
export interface FoundPlan extends Omit<CompileResult, 'explain'> {
  readonly explained: readonly PricedCandidate[] | undefined;
  readonly groups?: GroupsResult['groups'];
}

type Compiled = CompileResult | GroupsResult;

/** Compiles; where there is a time limit, again and again with the seeds that follow, for the best of all that there is time for. */
export async function compileJob(work: CompileWork, control: JobControl<FoundPlan>): Promise<FoundPlan> {
  const { request, options } = work;
  optimizeLate(request.collective.ranks);
  try {
    const { solver, onModel } = await solverHelp(work.solver, control);
    const { shouldStop } = control;
    const onProgress = (priced: number, best: number): void =>
      control.onProgress(`${priced} candidates priced, best ${formatSeconds(best)}`);
    const result = await search(work, control, { ...request, solver, onModel, shouldStop, onProgress });
    if (options.explain !== true) return foundPlan(result);
    control.onResult(foundPlan(result));
    return { ...foundPlan(result), explained: result.explain() };
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    throw await (await import('./compact.ts')).withCompactHint(error, request.collective.kind, options);
  }
}

async function search(
  { machine, options }: CompileWork,
  { index, workers, shouldStop, onResult }: JobControl<FoundPlan>,
  request: CompileRequest,
): Promise<Compiled> {
  const compileWith = await compilerFor(machine);
  const compileWatched = (changed: Partial<CompileRequest>, onBest: CompileRequest['onBest']): Compiled =>
    compileWith({ ...request, ...changed, onBest });
  const first = request.seed + index;
  if (options.timeLimit === undefined) return compileWatched({ seed: first }, (found) => onResult(foundPlan(found)));
  const quick = options.effort === undefined && isWide(options) ? soon(compileWatched, onResult) : undefined;
  if (quick !== undefined && shouldStop()) return quick;
  const all = compileWatched({ seed: first }, (found) => {
    if (quick === undefined || isFaster(found, quick)) onResult(foundPlan(found));
  });
  let best = quick === undefined || !isFaster(quick, all) ? all : { ...quick, stoppedEarly: all.stoppedEarly };
  // Everything has been tried once: what is tried from here on is for the time that is left, and is not missing when that is over.
  const { stoppedEarly } = best;
  const keepBetter = (found: Compiled): void => {
    if (isFaster(found, best)) onResult(foundPlan({ ...found, stoppedEarly }));
  };
  onResult(foundPlan(best));
  // Only searches at random gain from another seed.
  const engine = request.engine === 'auto' ? 'list' : request.engine;
  for (let seed = first + workers; !shouldStop() && !isAtBound(best); seed += workers) {
    const again = attempt(() => compileWatched({ engine, seed }, keepBetter));
    if (again === undefined) break;
    if (isFaster(again, best)) best = { ...again, stoppedEarly };
  }
  return best;
}

/** A first plan, so that there is a good one however early the time is up. */
function soon(
  compileWatched: (changed: Partial<CompileRequest>, onBest: CompileRequest['onBest']) => Compiled,
  onResult: (found: FoundPlan) => void,
): Compiled | undefined {
  const quick = attempt(() => compileWatched({ effort: 'quick' }, (found) => onResult(foundPlan(found))));
  if (quick === undefined) return undefined;
  const early = { ...quick, stoppedEarly: true };
  onResult(foundPlan(early));
  return early;
}

/** For the machine, or for all its groups at once: these have a first plan when each group has one. */
async function compilerFor({ groups }: CompileWork['machine']): Promise<(request: CompileRequest) => Compiled> {
  if (groups === undefined) return (await import('../compile/compile.ts')).compile;
  const { compileGroups } = await import('../compile/groups.ts');
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

function isFaster(a: Compiled, b: Compiled): boolean {
  return a.bundle.cost.seconds < b.bundle.cost.seconds;
}

function isAtBound({ bundle: { bound, cost } }: Compiled): boolean {
  return bound === undefined || optimality(bound.seconds, cost.seconds) > 0.9999;
}

function foundPlan({ explain, ...result }: Compiled): FoundPlan {
  return { ...result, explained: undefined };
}

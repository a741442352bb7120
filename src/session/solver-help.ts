/** Loads the solver of linear programs that a job asks for, and connects it to the job's progress. */
import type { LinearModel, Solver, SolverName } from '../solver/index.ts';
import type { JobControl } from './workers/job-control.ts';

/** A loaded solver, and the callback that engines call with each model before it is solved. */
export interface SolverHelp {
  readonly solver: Solver | undefined;
  readonly onModel: ((model: LinearModel, name: string) => void) | undefined;
}

/**
 * The solver of that name, which reports its progress; neither solver nor callback where there is no name.
 * @throws CccError 'unsupported' for a solver that is not installed
 */
export async function solverHelp(
  name: SolverName | undefined,
  { onModel, onProgress }: Pick<JobControl<unknown>, 'onModel' | 'onProgress'>,
): Promise<SolverHelp> {
  if (name === undefined) return { solver: undefined, onModel: undefined };
  const { loadSolver, progressText, watched } = await import('../solver/index.ts');
  let what = '';
  const solver = watched(await loadSolver(name), (progress) => onProgress(`${what}: ${progressText(progress)}`));
  return {
    solver,
    onModel(model, modelName) {
      what = modelName;
      onProgress(`${what}: ${solver.name}`);
      onModel(model, modelName);
    },
  };
}

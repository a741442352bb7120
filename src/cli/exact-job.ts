/** Searches of the exact engine, with a solver where it needs one. */
import { CccError } from '../ir/diagnostic.ts';
import { type ChosenSolver, type SolverOptions, solverFrom } from './solver-options.ts';

interface ShapeOptions extends SolverOptions {
  readonly chunks?: number;
  readonly set?: Readonly<Record<string, number>>;
}

/**
 * Makes a search that is told its solver. A single shape is looked for without one first, since most are found by construction and
 * loading a solver takes longer than that.
 */
export async function searchWithSolver<Result>(
  options: ShapeOptions,
  search: (help: Partial<Pick<ChosenSolver, 'solver' | 'onModel'>>) => Promise<Result>,
): Promise<Result> {
  const { chunks, set, dumpModel, solver: name } = options;
  const isOneShape = chunks !== undefined && set?.steps !== undefined && set.rounds !== undefined;
  if (isOneShape && dumpModel === undefined && name === 'auto') {
    try {
      return await search({});
    } catch (error) {
      if (!(error instanceof CccError) || error.code !== 'no-plan') throw error;
    }
  }
  const { solver, onModel, writeModel } = await solverFrom(options);
  try {
    return await search({ solver, onModel });
  } finally {
    await writeModel();
  }
}

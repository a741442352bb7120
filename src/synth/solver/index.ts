/** Mixed-integer linear models and those who solve them. Solvers are loaded when first asked for, and stay loaded. */
import { CccError } from '../../ir/diagnostic.ts';
import type { Solver, SolverName } from './solver.ts';

export { type LinearModel, ModelBuilder, objectiveOf, replayed } from './model.ts';
export {
  type GrowingModel,
  type GrownAnswer,
  type SolveOptions,
  type SolveProgress,
  type Solver,
  type SolverAnswer,
  type SolverName,
  type SparseColumn,
  solverNames,
} from './solver.ts';
export { lpText, mpsText } from './text.ts';
export { progressText, watched } from './watched.ts';

const loaded = new Map<SolverName, Promise<Solver>>();

/**
 * The solver of that name; `auto` is HiGHS, which is always there and was the faster one on most models measured.
 * @throws CccError 'unsupported' for a solver that is not installed, 'stopped' where the system gives it no memory
 */
export function loadSolver(name: SolverName): Promise<Solver> {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const loading = load(name);
  loaded.set(name, loading);
  loading.catch(() => loaded.delete(name));
  return loading;
}

async function load(name: SolverName): Promise<Solver> {
  try {
    if (name === 'glpk') return await (await import('./glpk.ts')).loadGlpk();
    return await (await import('./highs.ts')).loadHighs();
  } catch (error) {
    if (!(error instanceof Error && /out of memory/i.test(error.message))) throw error;
    // WebAssembly reserves far more addresses than it uses.
    const reason =
      'the system gives it no memory; a limit on addresses (ulimit -v) must leave room for those it reserves';
    throw new CccError('stopped', `a solver of linear models cannot be loaded: ${reason}`);
  }
}

/** Mixed-integer linear models and their solvers. A solver is loaded when it is first requested, and stays loaded. */
import { CccError } from '../ir/diagnostic.ts';
import type { SolveProgress, Solver, SolverName } from './solver.ts';

export { type LinearModel, ModelBuilder } from './model.ts';
export {
  type GrowingModel,
  type SolveProgress,
  type Solver,
  type SolverAnswer,
  type SolverName,
  type SparseColumn,
  solverNames,
} from './solver.ts';
export { lpText, mpsText } from './text.ts';

const loaded = new Map<SolverName, Promise<Solver>>();

/**
 * Loads the solver of that name. `auto` is HiGHS, which is always installed and was the faster of the two on most models measured.
 * @throws CccError 'unsupported' for a solver that is not installed, 'stopped' if the system refuses it memory
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

/** The same solver, which reports its progress to `onProgress` whenever it can. */
export function watched(solver: Solver, onProgress: (progress: SolveProgress) => void): Solver {
  return { ...solver, solve: (model, options) => solver.solve(model, { onProgress, ...options }) };
}

/** Progress in words, such as `120 nodes, 34000 iterations, best 12, at least 11 (gap 8.3 %)`. */
export function progressText({ nodes, iterations, best, bound, gap }: SolveProgress): string {
  const rounded = (value: number): string => String(Number(value.toPrecision(6)));
  const texts = [`${nodes} nodes`, `${iterations} iterations`];
  if (best !== undefined) texts.push(`best ${rounded(best)}`);
  if (bound !== undefined) texts.push(`at least ${rounded(bound)}`);
  const left = gap === undefined ? '' : ` (gap ${(100 * gap).toFixed(1)} %)`;
  return `${texts.join(', ')}${left}`;
}

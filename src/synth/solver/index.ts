/** Mixed-integer linear models and those who solve them. Solvers are loaded when first asked for, and stay loaded. */
import type { Solver, SolverName } from './solver.ts';

export { type LinearModel, ModelBuilder, objectiveOf, replayed } from './model.ts';
export {
  type SolveOptions,
  type SolveProgress,
  type Solver,
  type SolverAnswer,
  type SolverName,
  solverNames,
} from './solver.ts';
export { lpText, mpsText } from './text.ts';
export { progressText, watched } from './watched.ts';

const loaded = new Map<SolverName, Promise<Solver>>();

/**
 * The solver of that name; `auto` is HiGHS, which is always there and was the faster one on most models measured.
 * @throws CccError 'unsupported' for a solver that is not installed
 */
export function loadSolver(name: SolverName): Promise<Solver> {
  const known = loaded.get(name) ?? load(name);
  loaded.set(name, known);
  return known;
}

async function load(name: SolverName): Promise<Solver> {
  if (name === 'glpk') return (await import('./glpk.ts')).loadGlpk();
  return (await import('./highs.ts')).loadHighs();
}

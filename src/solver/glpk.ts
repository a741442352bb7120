/** GLPK (the GNU Linear Programming Kit), as the optional package glpk.js, which users install if they want it. */
import { type GlpkPackage, host } from '../host/host.ts';
import { CccError } from '../ir/diagnostic.ts';
import { type LinearModel, objectiveOf, replayed } from './model.ts';
import type { GrowingModel, SolveOptions, Solver, SolverAnswer } from './solver.ts';

type Glpk = Awaited<ReturnType<GlpkPackage['default']>>;
type GlpkProblem = Required<
  Pick<Parameters<Glpk['solve']>[0], 'name' | 'objective' | 'subjectTo' | 'bounds' | 'generals'>
>;

/** Time limit of one call, in seconds. The package neither counts work nor lets itself be interrupted, so that only a clock can limit it. */
const patience = 10;

/**
 * Loads GLPK. Its calls are synchronous, ignore the limits and `shouldStop` of `SolveOptions`, and report no progress.
 * @throws CccError 'unsupported' if the package is not installed
 */
export async function loadGlpk(): Promise<Solver> {
  let module: GlpkPackage;
  try {
    module = await host().loadGlpk();
  } catch {
    throw new CccError('unsupported', 'the solver glpk needs the package glpk.js, which is not installed; highs is');
  }
  const glpk = await module.default();
  return {
    name: `GLPK ${glpk.version}`,
    solve: (model, options = {}) => solve(glpk, model, options),
    grow: (model) => growing(glpk, model),
  };
}

function solve(glpk: Glpk, model: LinearModel, { relativeGap = 0 }: SolveOptions): SolverAnswer {
  const { result } = glpk.solve(problemOf(glpk, model), {
    msglev: glpk.GLP_MSG_OFF,
    presol: true,
    mipgap: relativeGap,
    tmlim: patience,
  });
  if (result.status === glpk.GLP_NOFEAS || result.status === glpk.GLP_INFEAS) return { status: 'infeasible' };
  // When its time is up, GLPK answers "undefined" with zeros for values, which are no solution.
  if (result.status !== glpk.GLP_OPT && result.status !== glpk.GLP_FEAS) {
    return { status: 'unknown', reason: `it ended without a solution (status ${result.status})` };
  }
  const values = replayed(
    model,
    Array.from({ length: model.columns }, (_, c) => result.vars[`x${c}`] ?? 0),
  );
  if (values === undefined) return { status: 'unknown', reason: 'its solution does not hold when it is replayed' };
  const objective = objectiveOf(model, values);
  if (result.status === glpk.GLP_OPT) return { status: 'optimal', values, objective };
  return { status: 'feasible', values, objective, gap: undefined };
}

/** A growing model that GLPK solves from scratch each time, since the package keeps no basis between calls. */
function growing(glpk: Glpk, model: LinearModel): GrowingModel {
  const problem = problemOf(glpk, model);
  return {
    add({ cost, rows, values }) {
      const name = `x${problem.bounds.length}`;
      problem.objective.vars.push({ name, coef: cost });
      problem.bounds.push({ name, ...boundsOf(glpk, 0, Number.POSITIVE_INFINITY) });
      for (const [i, row] of rows.entries()) problem.subjectTo[row].vars.push({ name, coef: values[i] });
    },
    solve() {
      const { result } = glpk.solve(problem, { msglev: glpk.GLP_MSG_OFF, tmlim: patience });
      const { dual, vars } = result;
      if (result.status !== glpk.GLP_OPT || dual === undefined) return undefined;
      return {
        values: Float64Array.from(problem.bounds, ({ name }) => vars[name] ?? 0),
        objective: result.z,
        prices: Float64Array.from(problem.subjectTo, ({ name }) => dual[name] ?? 0),
        // GLPK does not report its iterations; a simplex method takes about as many as there are rows.
        iterations: model.rows,
      };
    },
    close() {},
  };
}

function problemOf(glpk: Glpk, model: LinearModel): GlpkProblem {
  const columns = Array.from({ length: model.columns }, (_, c) => c);
  return {
    name: 'ccc',
    objective: {
      direction: glpk.GLP_MIN,
      name: 'cost',
      vars: columns.filter((c) => model.cost[c] !== 0).map((c) => ({ name: `x${c}`, coef: model.cost[c] })),
    },
    subjectTo: Array.from({ length: model.rows }, (_, r) => ({
      name: `r${r}`,
      vars: Array.from({ length: model.rowStart[r + 1] - model.rowStart[r] }, (_unused, i) => ({
        name: `x${model.column[model.rowStart[r] + i]}`,
        coef: model.value[model.rowStart[r] + i],
      })),
      bnds: boundsOf(glpk, model.rowLower[r], model.rowUpper[r]),
    })),
    bounds: columns.map((c) => ({ name: `x${c}`, ...boundsOf(glpk, model.lower[c], model.upper[c]) })),
    generals: columns.filter((c) => model.whole[c] === 1).map((c) => `x${c}`),
  };
}

function boundsOf(glpk: Glpk, lower: number, upper: number): { type: number; lb: number; ub: number } {
  const [lb, ub] = [Number.isFinite(lower) ? lower : 0, Number.isFinite(upper) ? upper : 0];
  if (lower === upper) return { type: glpk.GLP_FX, lb, ub };
  if (Number.isFinite(lower)) return { type: Number.isFinite(upper) ? glpk.GLP_DB : glpk.GLP_LO, lb, ub };
  return { type: Number.isFinite(upper) ? glpk.GLP_UP : glpk.GLP_FR, lb, ub };
}

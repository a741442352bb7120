/** HiGHS (Huangfu and Hall 2018), compiled to WebAssembly. */
import { createRequire as requireFrom } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import type { Highs, Model } from 'highs';
import { type LinearModel, objectiveOf, replayed } from './model.ts';
import type { SolveOptions, Solver, SolverAnswer } from './solver.ts';

/** Loads the solver; its calls are synchronous. */
export async function loadHighs(): Promise<Solver> {
  // Without it every function is compiled twice, and most of a short solve's time goes into the better code that comes too late.
  setFlagsFromString('--liftoff-only');
  // The package describes its CommonJS form; its module form has another shape than its types say.
  const { default: load }: typeof import('highs') = requireFrom(import.meta.url)('highs');
  const highs = await load();
  return {
    name: `HiGHS ${highs.version.string}`,
    solve: (model, options = {}) =>
      highs.withModel(dataOf(highs, model), (loaded) => solve(highs, loaded, model, options)),
  };
}

function dataOf({ constants }: Highs, model: LinearModel) {
  const { integer, continuous } = constants.variableType;
  return {
    numCols: model.columns,
    numRows: model.rows,
    colCost: model.cost,
    colLower: model.lower,
    colUpper: model.upper,
    rowLower: model.rowLower,
    rowUpper: model.rowUpper,
    integrality: Array.from(model.whole, (whole) => (whole === 1 ? integer : continuous)),
    matrix: {
      format: 'csr' as const,
      numRows: model.rows,
      numCols: model.columns,
      starts: model.rowStart,
      indices: model.column,
      values: model.value,
    },
  };
}

function solve(highs: Highs, loaded: Model, model: LinearModel, options: SolveOptions): SolverAnswer {
  const { timeLimit, work, relativeGap, shouldStop } = options;
  loaded.options.set('output_flag', false);
  if (timeLimit !== undefined) loaded.options.set('time_limit', timeLimit);
  if (work !== undefined) loaded.options.set('mip_max_nodes', work);
  if (relativeGap !== undefined) loaded.options.set('mip_rel_gap', relativeGap);
  const stop = (event: { interrupt(): void }): undefined => {
    if (shouldStop?.() === true) event.interrupt();
  };
  const { simplexInterrupt, mipInterrupt } = highs.constants.callbackType;
  const { modelStatus } = loaded.run(
    shouldStop === undefined ? {} : { [simplexInterrupt]: stop, [mipInterrupt]: stop },
  );
  return answerOf(highs, loaded, model, modelStatus);
}

function answerOf(highs: Highs, loaded: Model, model: LinearModel, status: number): SolverAnswer {
  const known = highs.constants.modelStatus;
  if (status === known.infeasible) return { status: 'infeasible' };
  const values = replayed(model, loaded.getSolution().colValue);
  if (values !== undefined) {
    const objective = objectiveOf(model, values);
    if (status === known.optimal) return { status: 'optimal', values, objective };
    const gap = Number(loaded.info.get('mip_gap'));
    return { status: 'feasible', values, objective, gap: Number.isFinite(gap) ? gap : undefined };
  }
  if (status === known.optimal) return { status: 'unknown', reason: 'its solution does not hold when it is replayed' };
  const name = Object.entries(known).find(([, code]) => code === status)?.[0] ?? `status ${status}`;
  return { status: 'unknown', reason: `it ended early (${name})` };
}

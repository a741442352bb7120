/** HiGHS (Huangfu and Hall 2018), compiled to WebAssembly. */
import type { CallbackData, Highs, HighsCallbackMap, Model } from 'highs';
import { host } from '../host/host.ts';
import { type LinearModel, objectiveOf, replayed } from './model.ts';
import type { GrowingModel, SolveOptions, SolveProgress, Solver, SolverAnswer } from './solver.ts';

/** HiGHS's number for the primal simplex method: added columns leave the last basis primal feasible, so that it can start from there. */
const primalSimplex = 4;

/** Loads the solver. Its calls are synchronous. */
export async function loadHighs(): Promise<Solver> {
  const highs = await host().loadHighs();
  return {
    name: `HiGHS ${highs.version.string}`,
    solve(model, options = {}) {
      try {
        return highs.withModel(dataOf(highs, model), (loaded) => solve(highs, loaded, model, options));
      } catch (error) {
        return failed(highs, error);
      }
    },
    grow: (model) => growing(highs, model),
  };
}

function growing(highs: Highs, model: LinearModel): GrowingModel {
  const loaded = highs.createModel(dataOf(highs, model));
  loaded.options.set('simplex_strategy', primalSimplex);
  loaded.options.set('output_flag', false);
  return {
    add({ cost, rows, values }) {
      const entries = { indices: Int32Array.from(rows), values: Float64Array.from(values) };
      loaded.addCol(cost, 0, Number.POSITIVE_INFINITY, entries);
    },
    solve(options = {}) {
      try {
        const { modelStatus } = loaded.run(callbacks(highs, options));
        if (modelStatus !== highs.constants.modelStatus.optimal) return undefined;
        const { colValue, rowDual } = loaded.getSolution();
        const iterations = Number(loaded.info.get('simplex_iteration_count'));
        return { values: colValue, objective: loaded.getObjectiveValue(), prices: rowDual, iterations };
      } catch (error) {
        failed(highs, error);
        return undefined;
      }
    },
    close: () => loaded.dispose(),
  };
}

/**
 * The answer for a model that HiGHS refuses, or on which it breaks down (WebAssembly throws a RuntimeError when its memory is exhausted):
 * unknown. @throws the error itself if it is any other, since that is a bug of ccc
 */
function failed({ errors }: Highs, error: unknown): SolverAnswer {
  const isItsOwn = error instanceof errors.HighsError || (error instanceof Error && error.name === 'RuntimeError');
  if (!isItsOwn) throw error;
  return { status: 'unknown', reason: `it failed: ${error.message}` };
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
  const { nodes, relativeGap } = options;
  loaded.options.set('output_flag', false);
  if (nodes !== undefined) loaded.options.set('mip_max_nodes', nodes);
  if (relativeGap !== undefined) loaded.options.set('mip_rel_gap', relativeGap);
  const { modelStatus } = loaded.run(callbacks(highs, options));
  const known = highs.constants.modelStatus;
  if (modelStatus === known.infeasible) return { status: 'infeasible' };
  const values = replayed(model, loaded.getSolution().colValue);
  if (values !== undefined) {
    const objective = objectiveOf(model, values);
    if (modelStatus === known.optimal) return { status: 'optimal', values, objective };
    const gap = Number(loaded.info.get('mip_gap'));
    return { status: 'feasible', values, objective, gap: Number.isFinite(gap) ? gap : undefined };
  }
  if (modelStatus === known.optimal) {
    return { status: 'unknown', reason: 'its solution does not hold when it is replayed' };
  }
  const name = Object.entries(known).find(([, code]) => code === modelStatus)?.[0] ?? `status ${modelStatus}`;
  return { status: 'unknown', reason: `it ended early (${name})` };
}

/** HiGHS calls these functions at points that depend only on its work, so that limits counted in work end it at the same point in every run. */
function callbacks({ constants }: Highs, options: SolveOptions): HighsCallbackMap {
  const { iterations = Number.POSITIVE_INFINITY, shouldStop, onProgress } = options;
  const { simplexInterrupt, mipInterrupt } = constants.callbackType;
  return {
    [simplexInterrupt](event) {
      if (Number(event.data.simplex_iteration_count) > iterations || shouldStop?.() === true) event.interrupt();
    },
    [mipInterrupt](event) {
      const progress = progressOf(event.data);
      onProgress?.(progress);
      if (progress.iterations > iterations || shouldStop?.() === true) event.interrupt();
    },
  };
}

function progressOf(data: CallbackData): SolveProgress {
  // HiGHS reports numbers that it does not know yet as infinite (1e20 and more).
  const known = (value = Number.POSITIVE_INFINITY): number | undefined => (Math.abs(value) < 1e20 ? value : undefined);
  const best = known(data.mip_primal_bound);
  return {
    nodes: Number(data.mip_node_count ?? 0),
    iterations: Number(data.mip_total_lp_iterations ?? 0),
    best,
    bound: known(data.mip_dual_bound),
    gap: best === undefined ? undefined : known(data.mip_gap),
  };
}

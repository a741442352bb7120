/** The interface of solvers of linear models: options, progress and answers. */
import type { LinearModel } from './model.ts';

/** The progress of a running solver. */
export interface SolveProgress {
  /** Nodes of the branch-and-bound tree explored so far. */
  readonly nodes: number;
  /** Simplex iterations so far, summed over all nodes. */
  readonly iterations: number;
  /** The incumbent's objective as the solver reports it (not checked by `replayed`); undefined before there is a solution. */
  readonly best: number | undefined;
  /** A lower bound on the objective of every solution; undefined before one is known. */
  readonly bound: number | undefined;
  /** The relative gap between the incumbent and the lower bound. */
  readonly gap: number | undefined;
}

/** Limits and callbacks of one solve. Limits count work instead of time, so that results are reproducible. */
export interface SolveOptions {
  /** The most nodes of the branch-and-bound tree that may be explored. */
  readonly nodes?: number;
  /** The most simplex iterations, summed over all nodes. Solvers stop a few iterations later, when they next check. */
  readonly iterations?: number;
  /** The relative gap to the lower bound at which a solution counts as optimal; 0 by default. With 1 the search ends at about its first solution. */
  readonly relativeGap?: number;
  /** Polled while the solver runs, if it can be interrupted; true ends the search. */
  readonly shouldStop?: () => boolean;
  /** Called from time to time with the progress, by solvers that report it. */
  readonly onProgress?: (progress: SolveProgress) => void;
}

/**
 * The outcome of a solve: `optimal` within the requested gap; `feasible` if the solver ended early, with the remaining gap (undefined if the
 * solver does not report it); `infeasible` if the solver has proved that; `unknown` otherwise. `values` have been checked by `replayed`.
 */
export type SolverAnswer =
  | { readonly status: 'optimal'; readonly values: Float64Array; readonly objective: number }
  | {
      readonly status: 'feasible';
      readonly values: Float64Array;
      readonly objective: number;
      readonly gap: number | undefined;
    }
  | { readonly status: 'infeasible' }
  | { readonly status: 'unknown'; readonly reason: string };

/** A solver of linear models that has been loaded. */
export interface Solver {
  /** Name and version for reports, such as `HiGHS 1.15.0`. */
  readonly name: string;
  solve(model: LinearModel, options?: SolveOptions): SolverAnswer;
  /** Loads a model to which columns will be added. It occupies memory of the solver until `close` is called. */
  grow(model: LinearModel): GrowingModel;
}

/**
 * A linear program without whole columns for column generation: it is solved repeatedly while columns are added, each time starting
 * from the last basis if the solver keeps one.
 */
export interface GrowingModel {
  /** Adds a column with bounds 0 and infinity. */
  add(column: SparseColumn): void;
  /** Solves the model as it stands; undefined if it has no optimum, or the solver ended before reaching it. */
  solve(options?: SolveOptions): GrownAnswer | undefined;
  close(): void;
}

/** An optimum as the solver reports it. The values are not checked, since schedules made from them are checked themselves. */
export interface GrownAnswer {
  /** By column, in the order in which the columns were added. */
  readonly values: Float64Array;
  readonly objective: number;
  /** By row, the dual price: the change of the objective for each unit by which the row's bounds grow. */
  readonly prices: Float64Array;
  /** Simplex iterations of this call. */
  readonly iterations: number;
}

/** A variable with its objective coefficient and its nonzero coefficients: `values[i]` in row `rows[i]`. */
export interface SparseColumn {
  readonly cost: number;
  readonly rows: readonly number[];
  readonly values: readonly number[];
}

/** The values of `--solver`. */
export const solverNames = ['auto', 'glpk', 'highs'] as const;
export type SolverName = (typeof solverNames)[number];

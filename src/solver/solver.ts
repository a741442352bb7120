/** What a solver of linear models is asked, and what it may answer. */
import type { LinearModel } from './model.ts';

/** What a running solver knows. */
export interface SolveProgress {
  /** Nodes of the search tree that it has looked at. */
  readonly nodes: number;
  /** Of the simplex method, in all nodes together. */
  readonly iterations: number;
  /** The objective of the best solution so far, which has not been replayed; undefined where there is none. */
  readonly best: number | undefined;
  /** No solution has a lower objective; undefined where nothing is known yet. */
  readonly bound: number | undefined;
  /** How much lower it could get, as a share of the best. */
  readonly gap: number | undefined;
}

export interface SolveOptions {
  /** Nodes of the search tree that may be looked at. */
  readonly nodes?: number;
  /** Iterations of the simplex method that may be made, in all nodes together; solvers notice some after the last. */
  readonly iterations?: number;
  /** A solution is good enough when it costs at most so much more than the best one can, as a share; 1 ends at the first near it. */
  readonly relativeGap?: number;
  /** True when the time is up; asked while the solver runs, where it lets itself be interrupted. */
  readonly shouldStop?: () => boolean;
  /** Told now and then how far it is, where the solver says. */
  readonly onProgress?: (progress: SolveProgress) => void;
}

/**
 * `optimal` within the gap that was asked for; `feasible` with the gap that was left when the solver ended early (undefined if it does
 * not say); `infeasible` as the solver has proved it; and everything else is `unknown`. Values have been replayed.
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

export interface Solver {
  /** For people, such as `HiGHS 1.15.0`. */
  readonly name: string;
  solve(model: LinearModel, options?: SolveOptions): SolverAnswer;
  /** Keeps a model to add columns to it. Its memory is the solver's until it is closed. */
  grow(model: LinearModel): GrowingModel;
}

/**
 * A model without whole columns that is solved again and again while columns come to it (column generation), each time from where it
 * was the last time.
 */
export interface GrowingModel {
  /** One more column, from 0 to infinity, with these coefficients in these rows, each at most once. */
  add(column: SparseColumn): void;
  /** The optimum; undefined where there is none, or the solver ended before it had it. */
  solve(options?: SolveOptions): GrownAnswer | undefined;
  close(): void;
}

/** The solver's own numbers: they have not been replayed, since what is made of them is judged by itself. */
export interface GrownAnswer {
  /** By column, in the order in which they came. */
  readonly values: Float64Array;
  readonly objective: number;
  /** By row: what the objective grows by for each unit that its bounds grow. */
  readonly prices: Float64Array;
  /** Of the simplex method, since the last time. */
  readonly iterations: number;
}

export interface SparseColumn {
  readonly cost: number;
  readonly rows: readonly number[];
  readonly values: readonly number[];
}

/** As given to `--solver`. */
export const solverNames = ['auto', 'glpk', 'highs'] as const;
export type SolverName = (typeof solverNames)[number];

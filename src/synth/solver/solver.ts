/** What a solver of linear models is asked, and what it may answer. */
import type { LinearModel } from './model.ts';

export interface SolveOptions {
  /** Seconds after which the solver ends with what it has. Answers then depend on the clock; `work` is a limit that does not. */
  readonly timeLimit?: number;
  /** Nodes of the search tree that may be looked at. */
  readonly work?: number;
  /** A solution is good enough when it costs at most so much more than the best one can, as a share; 1 ends at the first near it. */
  readonly relativeGap?: number;
  /** True when the time is up; asked while the solver runs, where it lets itself be interrupted. */
  readonly shouldStop?: () => boolean;
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
}

/** As given to `--solver`. */
export const solverNames = ['auto', 'glpk', 'highs'] as const;
export type SolverName = (typeof solverNames)[number];

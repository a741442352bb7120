/**
 * Fits the parameters to measured times by minimising the mean of |log(measured / predicted)|. Predicted times are piecewise linear in the
 * parameters (`LinearPiece`). Each round simulates every point, finds its linear piece, and moves within a trust region to the optimum of the
 * known pieces by linear programming (sequential linear programming; Fletcher and Sainz de la Maza, 1989).
 */
import type { Solver } from '../solver/index.ts';
import { fitting } from './limits.ts';
import type { Model } from './model.ts';
import { mean } from './statistics.ts';
import { Surrogate, surrogateTolerance } from './surrogate.ts';

export interface Fit {
  readonly values: Float64Array;
  /** The predicted time of every point of the model at these values. */
  readonly times: Float64Array;
  /** The mean of |log(measured / predicted)| over the fitted points. */
  readonly loss: number;
}

export interface FitOptions {
  readonly solver: Solver;
  readonly start: Float64Array;
  /** Standard values, which parameters keep if the measurements do not determine them. */
  readonly standard: Float64Array;
  /** Indices of the parameters that keep their start values. */
  readonly fixed: ReadonlySet<number>;
  readonly rounds: number;
  readonly shouldStop: () => boolean;
  /** Called after each round with the incumbent; round 0 is the start. */
  readonly onRound: (fit: Fit, round: number) => void;
}

/**
 * Regularisation weight: the penalty, in mean error, for each unit of |log(value / standard)|, far below what measurements determine. A
 * round that improves the loss by less than this share ends the search.
 */
export const pull = 2e-3;

export function fitTo(model: Model, options: FitOptions): Fit {
  const { solver, start, standard, fixed, rounds, shouldStop, onRound } = options;
  const surrogate = new Surrogate(model.points);
  const all = model.points.map((_, index) => index);
  let best = evaluated(model, start);
  onRound(best, 0);
  let reach = fitting.firstReach;
  learn(model, surrogate, best);
  for (let round = 1; round <= rounds && reach >= fitting.minReach && !shouldStop(); round++) {
    const values = nearby(surrogate, solver, all, best.values, {
      standard,
      fixed,
      reach,
      steps: fitting.stepsPerRound,
    });
    const promised = surrogate.loss(all, values);
    if (promised > best.loss * (1 - pull / 4)) break;
    const found = evaluated(model, values);
    learn(model, surrogate, found);
    const gain = best.loss - found.loss;
    // Compares the improvement with the one that the linear pieces predicted, to adapt the trust region.
    if (gain < 0.25 * (best.loss - promised)) reach = Math.sqrt(reach);
    if (gain > 0) best = found;
    onRound(best, round);
    if (gain > 0 && gain < pull * best.loss && reach < fitting.firstReach) break;
  }
  return best;
}

/** Simulates all points. */
export function evaluated(model: Model, values: Float64Array): Fit {
  const times = Float64Array.from(model.points, (point) => model.time(point, values));
  return { values, times, loss: lossOf(model, times) };
}

function lossOf(model: Model, times: Float64Array): number {
  return mean(model.points.map(({ measured }, index) => Math.abs(Math.log(measured / times[index]))));
}

/** Finds the linear pieces of points at these values, except those already known. */
export function learn(model: Model, surrogate: Surrogate, { values, times }: Fit): void {
  const unknown: number[] = [];
  times.forEach((time, index) => {
    surrogate.learn(index, values, time, undefined);
    if (Math.abs(surrogate.time(index, values) - time) > surrogateTolerance * time) unknown.push(index);
  });
  const points = unknown.map((index) => model.points[index]);
  const pieces = model.pieces(
    points,
    values,
    unknown.map((index) => times[index]),
  );
  unknown.forEach((index, at) => {
    surrogate.learn(index, values, times[index], pieces[at]);
  });
}

/** The values within a factor `reach` of `from` that minimise the loss of the known pieces over some of the points. */
export function nearby(
  surrogate: Surrogate,
  solver: Solver,
  indices: readonly number[],
  from: Float64Array,
  around: {
    readonly standard: Float64Array;
    readonly fixed: ReadonlySet<number>;
    readonly reach: number;
    readonly steps: number;
  },
): Float64Array {
  const { standard, fixed, reach, steps } = around;
  let values = from;
  let loss = surrogate.loss(indices, values);
  let most = Math.min(fitting.stepReach, reach);
  for (let step = 0; step < steps && most > 1.001; step++) {
    const next = surrogate.step(solver, indices, values, {
      lower: values.map((value, p) =>
        fixed.has(p) ? value : Math.min(value, Math.max(from[p] / reach, value / most, standard[p] / fitting.widest)),
      ),
      upper: values.map((value, p) =>
        fixed.has(p) ? value : Math.max(value, Math.min(from[p] * reach, value * most, standard[p] * fitting.widest)),
      ),
      standard,
      pull,
    });
    const nextLoss = surrogate.loss(indices, next);
    if (nextLoss < loss) {
      const isOver = nextLoss > loss * (1 - 1e-4);
      values = next;
      loss = nextLoss;
      if (isOver) break;
    } else most = Math.sqrt(most);
  }
  return values;
}

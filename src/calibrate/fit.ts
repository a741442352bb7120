/**
 * Values of the parameters that explain measured times: the least mean |log(measured / predicted)|. Times are piecewise linear in the
 * parameters (`LinearPiece`), so that each round simulates every point, finds the pieces there, and moves by linear programs within a trust region
 * (sequential linear programming; Fletcher and Sainz de la Maza, 1989) to where the known pieces fit best.
 */
import type { Solver } from '../solver/index.ts';
import { fitting } from './limits.ts';
import type { Model } from './model.ts';
import { mean } from './statistics.ts';
import { Surrogate, surrogateTolerance } from './surrogate.ts';

export interface Fit {
  readonly values: Float64Array;
  /** Of every point of the model, at these values. */
  readonly times: Float64Array;
  /** Mean |log(measured / predicted)| over the points that were fitted. */
  readonly loss: number;
}

export interface FitOptions {
  readonly solver: Solver;
  readonly start: Float64Array;
  /** Where parameters lean if measurements do not tell. */
  readonly standard: Float64Array;
  /** Parameters that stay at their start. */
  readonly fixed: ReadonlySet<number>;
  readonly rounds: number;
  readonly shouldStop: () => boolean;
  /** Told the best after each round; round 0 is the start. */
  readonly onRound: (fit: Fit, round: number) => void;
}

/** What it costs a value to be away from its standard, in mean error per logarithm of the factor: far less than what measurements say. A round that gains less than this part ends the search. */
export const pull = 2e-3;

export function fitTo(model: Model, options: FitOptions): Fit {
  const { solver, start, standard, fixed, rounds, shouldStop, onRound } = options;
  const surrogate = new Surrogate(model.points);
  const all = model.points.map((_, index) => index);
  let best = evaluated(model, start);
  onRound(best, 0);
  let reach = fitting.firstReach;
  learn(model, surrogate, best);
  for (let round = 1; round <= rounds && reach >= fitting.leastReach && !shouldStop(); round++) {
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
    // What came is compared with what was promised: the pieces hold as far as that.
    if (gain < 0.25 * (best.loss - promised)) reach = Math.sqrt(reach);
    if (gain > 0) best = found;
    onRound(best, round);
    if (gain > 0 && gain < pull * best.loss && reach < fitting.firstReach) break;
  }
  return best;
}

/** All points, simulated. */
export function evaluated(model: Model, values: Float64Array): Fit {
  const times = Float64Array.from(model.points, (point) => model.time(point, values));
  return { values, times, loss: lossOf(model, times) };
}

function lossOf(model: Model, times: Float64Array): number {
  return mean(model.points.map(({ measured }, index) => Math.abs(Math.log(measured / times[index]))));
}

/** Finds the pieces of points at values, where they are not known. */
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

/** The best values that the known pieces promise within a factor `reach` of `from`, for some of the points. */
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

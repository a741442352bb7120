/** Cross-validation by configuration: how well a fit predicts plans that it has not seen, and which parameters the measurements determine. */
import type { Solver } from '../solver/index.ts';
import { type Fit, nearby } from './fit.ts';
import { fitting } from './limits.ts';
import type { Model } from './model.ts';
import { mean, standardDeviation } from './statistics.ts';
import type { Surrogate } from './surrogate.ts';

/** The points of each fold. Configurations are assigned to the folds in turn, so that each fold has some of every kind. */
export function foldsOf(model: Model): readonly (readonly number[])[] {
  const configurations = [...new Set(model.points.map(({ configuration }) => configuration))];
  const folds = Array.from({ length: Math.min(fitting.maxFolds, configurations.length) }, (): number[] => []);
  model.points.forEach(({ configuration }, index) => {
    folds[configurations.indexOf(configuration) % folds.length].push(index);
  });
  return folds;
}

export interface Known {
  readonly model: Model;
  readonly surrogate: Surrogate;
  readonly solver: Solver;
  readonly standard: Float64Array;
}

/** For each fold the values that fit the points of all other folds best. */
export function withoutFolds(known: Known, from: Float64Array, fixed: ReadonlySet<number>): readonly Float64Array[] {
  const { model, surrogate, solver, standard } = known;
  return foldsOf(model).map((fold) => {
    const out = new Set(fold);
    const indices = model.points.flatMap((_, index) => (out.has(index) ? [] : [index]));
    return nearby(surrogate, solver, indices, from, {
      standard,
      fixed,
      reach: fitting.foldReach,
      steps: fitting.foldSteps,
    });
  });
}

/**
 * Predicts the time of every point by simulating it with the values that were fitted without its configuration.
 * @param whole a model of the same configurations, in the same order, with more of their sizes
 */
export function timesWithoutOwn(known: Known, whole: Model, { values }: Fit, fixed: ReadonlySet<number>): Float64Array {
  const times = new Float64Array(whole.points.length);
  const folds = foldsOf(whole);
  withoutFolds(known, values, fixed).forEach((found, fold) => {
    for (const index of folds[fold]) times[index] = whole.time(whole.points[index], found);
  });
  return times;
}

/** How much a parameter matters: the increase of the error on left-out plans if the parameter keeps its standard value. */
export interface Worth {
  readonly parameter: number;
  readonly mean: number;
  /** The standard error of that mean: the standard deviation over the folds, divided by the square root of their number. */
  readonly spread: number;
}

/** How much every parameter that is not fixed matters, by the known linear pieces. */
export function worthOf(known: Known, { values }: Fit, fixed: ReadonlySet<number>): readonly Worth[] {
  const { model, surrogate, standard } = known;
  const folds = foldsOf(model);
  const lossesAt = (from: Float64Array, without: ReadonlySet<number>): readonly number[] =>
    withoutFolds(known, from, without).map((found, fold) => surrogate.loss(folds[fold], found));
  const before = lossesAt(values, fixed);
  return model.set.parameters.flatMap((_, parameter): readonly Worth[] => {
    if (fixed.has(parameter)) return [];
    const from = values.slice();
    from[parameter] = standard[parameter];
    const moved = lossesAt(from, new Set([...fixed, parameter])).map((loss, fold) => loss - before[fold]);
    return [{ parameter, mean: mean(moved), spread: standardDeviation(moved) / Math.sqrt(folds.length) }];
  });
}

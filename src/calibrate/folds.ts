/** Leaving out whole configurations: what of a fit comes true for plans that it never saw, and which parameters measurements tell. */
import type { Solver } from '../solver/index.ts';
import { type Fit, nearby } from './fit.ts';
import { fitting } from './limits.ts';
import type { Model } from './model.ts';
import { mean, standardDeviation } from './statistics.ts';
import type { Surrogate } from './surrogate.ts';

/** Points of each part; the configurations are dealt out in turn, so that every part has some of each kind. */
export function foldsOf(model: Model): readonly (readonly number[])[] {
  const configurations = [...new Set(model.points.map(({ configuration }) => configuration))];
  const folds = Array.from({ length: Math.min(fitting.mostFolds, configurations.length) }, (): number[] => []);
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

/** The values that fit best without the points of each fold. */
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
 * What every point takes by the values that were found without its configuration, simulated.
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

/** How much a parameter matters: what the error of plans that were left out grows by when it stays at its standard. */
export interface Worth {
  readonly parameter: number;
  readonly mean: number;
  /** How uncertain that mean is: what it spreads over the folds by, over the root of their number. */
  readonly spread: number;
}

/** The worth of every parameter that is not fixed, by the known pieces. */
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

/** The search of a calibration: fits from several start values, refines the best fit on all points, and resets parameters that do not matter. */
import { operationCount } from '../ir/plan.ts';
import type { Solver } from '../solver/index.ts';
import type { Configuration } from './configuration.ts';
import { evaluated, type Fit, fitTo, learn, nearby } from './fit.ts';
import { type Known, timesWithoutOwn, type Worth, worthOf } from './folds.ts';
import { fitting } from './limits.ts';
import { Model } from './model.ts';
import { type MessageShape, nameIn, type ParameterSet } from './parameters.ts';
import { Surrogate, surrogateTolerance } from './surrogate.ts';

export interface FitSearchRequest {
  readonly set: ParameterSet;
  readonly configurations: readonly Configuration[];
  readonly standard: Float64Array;
  /** Indices of the parameters that keep their standard values. */
  readonly fixed: ReadonlySet<number>;
  readonly solver: Solver;
  readonly shouldStop: () => boolean;
  readonly onProgress: (text: string) => void;
  /** Called with each incumbent and the model of the points that it was fitted to. */
  readonly onFit: (fit: Fit, model: Model) => void;
}

export interface CalibrationResult {
  readonly fit: Fit;
  /** The model of all times of the configurations, with the shapes of messages that were found. */
  readonly whole: Model;
  /** Indices of fitted parameters that were reset to their standards, since they do not improve predictions for left-out plans. */
  readonly notDetermined: ReadonlySet<number>;
  /** Cross-validated predictions: each time of `whole` by a fit without its configuration; undefined if there are too few or the time was up. */
  readonly timesWithoutOwn: Float64Array | undefined;
}

/**
 * Start values, as factors by the last part of parameters' names. Parameters off the critical path have slope 0 and cannot be fitted; so each
 * start puts something else on the critical path: the overheads of lanes, their bytes, or the gaps between messages.
 */
const starts: readonly Readonly<Record<string, number>>[] = [
  {},
  { overhead: 4, bandwidth: 1 / 3 },
  { overhead: 1 / 4, bandwidth: 3 },
  { overhead: 1 / 2, gap: 8 },
  { bandwidth: 1 / 4, 'link bandwidth': 4 },
  { overhead: 1 / 4, latency: 4 },
];

export function search(request: FitSearchRequest): CalibrationResult {
  const { configurations, standard, fixed, solver, shouldStop, onProgress, onFit } = request;
  const common = { solver, standard, fixed, shouldStop };
  const { set, values: start } = bestShapes(request, bestStart(request));
  const model = new Model(set, thinned(configurations, fitting.maxOperations));
  const whole = new Model(set, configurations);
  const onRound = (fit: Fit, round: number): void => {
    onProgress(`round ${round}: the mean error is ${percent(fit.loss)}`);
    onFit(fit, model);
  };
  let best = fitTo(model, { ...common, start, rounds: fitting.rounds, onRound });
  const surrogate = new Surrogate(model.points);
  learn(model, surrogate, best);
  const known: Known = { model, surrogate, solver, standard };
  const notDetermined = new Set<number>();
  if (configurations.length < 2) return { fit: best, whole, notDetermined, timesWithoutOwn: undefined };
  onProgress('which parameters matter');
  const idle = idleParameters(known, best, fixed, shouldStop);
  while (idle.length > 0 && !shouldStop()) {
    const isFixed = new Set([...fixed, ...idle.map(({ parameter }) => parameter)]);
    const without = withoutParameters(known, best, isFixed);
    const again = fitTo(model, {
      ...common,
      fixed: isFixed,
      start: without.values,
      rounds: fitting.roundsAgain,
      onRound,
    });
    // The linear pieces may not hold for values this far away: simulate them before accepting them.
    if (again.loss <= best.loss * (1 + fitting.minGrowth) + surrogateTolerance) {
      best = again;
      for (const { parameter } of idle) notDetermined.add(parameter);
      learn(model, surrogate, best);
      break;
    }
    idle.pop();
  }
  if (shouldStop()) return { fit: best, whole, notDetermined, timesWithoutOwn: undefined };
  onProgress('what comes true for plans that are left out');
  const left = timesWithoutOwn(known, whole, best, new Set([...fixed, ...notDetermined]));
  return { fit: best, whole, notDetermined, timesWithoutOwn: left };
}

/** Finds parameters that do not matter by the known pieces, the least important first; each is tested with those found before at their standards. */
function idleParameters(known: Known, best: Fit, fixed: ReadonlySet<number>, shouldStop: () => boolean): Worth[] {
  const idle: Worth[] = [];
  let from = best;
  while (!shouldStop()) {
    const isFixed = new Set([...fixed, ...idle.map(({ parameter }) => parameter)]);
    const [least] = worthOf(known, from, isFixed)
      .filter(({ mean, spread }) => mean <= Math.max(spread, surrogateTolerance))
      .sort((a, b) => a.mean - b.mean);
    if (least === undefined) break;
    idle.push(least);
    from = { ...best, values: valuesWithout(known, best, new Set([...isFixed, least.parameter])) };
  }
  return idle;
}

/** The values that minimise the loss of the known pieces with the parameters of `fixed` at their standards. */
function valuesWithout(known: Known, { values }: Fit, fixed: ReadonlySet<number>): Float64Array {
  const { model, surrogate, solver, standard } = known;
  const from = values.map((value, p) => (fixed.has(p) ? standard[p] : value));
  const all = model.points.map((_, index) => index);
  return nearby(surrogate, solver, all, from, { standard, fixed, reach: 4, steps: 8 });
}

function withoutParameters(known: Known, best: Fit, fixed: ReadonlySet<number>): Fit {
  const found = evaluated(known.model, valuesWithout(known, best, fixed));
  learn(known.model, known.surrogate, found);
  return found;
}

/** Runs a few rounds from every start on a few sizes, and returns the best result. */
function bestStart(request: FitSearchRequest): Float64Array {
  const { set, configurations, standard, fixed, solver, shouldStop, onProgress, onFit } = request;
  const thin = new Model(
    set,
    configurations.map((each) => withSizes(each, fitting.sizesOfStarts)),
  );
  let best: Fit | undefined;
  for (const [index, factors] of starts.entries()) {
    if (best !== undefined && shouldStop()) break;
    const start = standard.map((value, p) => {
      const { name, link } = set.parameters[p];
      const last = name.split('.').at(-1) ?? name;
      const key = link !== undefined && last === 'bandwidth' ? 'link bandwidth' : last;
      return fixed.has(p) ? value : value * (factors[key] ?? 1);
    });
    const before = best?.loss ?? Number.POSITIVE_INFINITY;
    const onRound = (fit: Fit): void => {
      onProgress(`start ${index + 1} of ${starts.length}: the mean error is ${percent(fit.loss)}`);
      if (fit.loss < before) onFit(fit, thin);
    };
    const found = fitTo(thin, { solver, start, standard, fixed, rounds: fitting.roundsOfStarts, shouldStop, onRound });
    if (best === undefined || found.loss < best.loss) best = found;
  }
  return best === undefined ? standard : best.values;
}

/** An intermediate result of the search: a fit with the parameters and shapes of messages that it is for. */
interface Shaped {
  readonly set: ParameterSet;
  readonly values: Float64Array;
}

/** The neighbouring shapes of messages: shorter and longer slices, and a visible share that is smaller or larger by a quarter. */
function besides({ visible, slice }: MessageShape): readonly MessageShape[] {
  const slices = [1 / 2, 3 / 4, 3 / 2, 2].map((factor) => ({ visible, slice: wholeKib(slice * factor) }));
  const seen = [visible - 1 / 4, visible + 1 / 4].filter((part) => part >= 0 && part <= 1);
  return [...slices, ...seen.map((part) => ({ visible: part, slice }))];
}

function wholeKib(bytes: number): number {
  return 2 ** 10 * Math.max(1, Math.round(bytes / 2 ** 10));
}

/**
 * Local search for the shape of each protocol's messages: moves to the neighbouring shape that reduces the error of the protocol's times most,
 * as long as one does. The protocol's own parameters are refitted for each shape.
 */
function bestShapes(request: FitSearchRequest, start: Float64Array): Shaped {
  const { configurations, standard, fixed, solver, shouldStop, onProgress } = request;
  const some = thinned(configurations, fitting.maxOperations / 4);
  let { set } = request;
  let values = start;
  for (const protocol of set.protocols) {
    // A user who fixes the lane's parameters, or fits only others, does not want another shape either.
    if (['overhead', 'bandwidth'].some((what) => fixed.has(set.numberOf(nameIn(protocol, what))))) continue;
    const own = some.filter((each) => each.protocol === protocol);
    const others = set.parameters.flatMap((each, p) => (each.protocol === protocol ? [] : [p]));
    const common = { solver, standard, fixed: new Set([...fixed, ...others]), rounds: fitting.roundsAgain, shouldStop };
    const found = bestShape(set, protocol, values, (candidate, from) => {
      const fit = fitTo(new Model(candidate, own), { ...common, start: from, onRound: () => {} });
      onProgress(`parts of messages: the mean error is ${percent(fit.loss)}`);
      return fit;
    });
    ({ set, values } = found);
    if (shouldStop()) break;
  }
  return { set, values };
}

function bestShape(
  start: ParameterSet,
  protocol: string | undefined,
  from: Float64Array,
  fitted: (set: ParameterSet, from: Float64Array) => Fit,
): Shaped {
  const first = start.shape(protocol);
  if (first === undefined) return { set: start, values: from };
  let [set, shape]: [ParameterSet, MessageShape] = [start, first];
  let best = fitted(set, from);
  const tried = new Set([JSON.stringify(shape)]);
  for (;;) {
    const untried = besides(shape).filter((each) => !tried.has(JSON.stringify(each)));
    const fits = untried.map((each) => {
      tried.add(JSON.stringify(each));
      const candidate = set.reshaped(protocol, each);
      return { shape: each, set: candidate, fit: fitted(candidate, best.values) };
    });
    const next = fits.sort((a, b) => a.fit.loss - b.fit.loss)[0];
    if (next === undefined || next.fit.loss > best.loss * (1 - fitting.minGrowth)) return { set, values: best.values };
    ({ shape, set, fit: best } = next);
  }
}

/** The configurations with so few sizes each that the operations of all their plans stay below the limit. */
export function thinned(configurations: readonly Configuration[], maxOperations: number): readonly Configuration[] {
  for (let count = fitting.maxSizes; ; count--) {
    const some = configurations.map((each) => withSizes(each, count));
    const work = some.reduce((sum, { plan, times }) => sum + times.length * operationCount(plan), 0);
    if (work <= maxOperations || count === fitting.sizesOfStarts) return some;
  }
}

/** Selects the smallest size, the largest, and sizes spread evenly between them. */
function withSizes(configuration: Configuration, count: number): Configuration {
  const { times } = configuration;
  const places = Array.from({ length: count }, (_, index) => Math.round((index * (times.length - 1)) / (count - 1)));
  return { ...configuration, times: [...new Set(places)].map((place) => times[place]) };
}

function percent(loss: number): string {
  return `${(100 * (Math.exp(loss) - 1)).toFixed(1)} %`;
}

/** From configurations to values: several starts, then all points, then the parameters that turn out not to matter put back. */
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
  /** Parameters that keep their standard. */
  readonly fixed: ReadonlySet<number>;
  readonly solver: Solver;
  readonly shouldStop: () => boolean;
  readonly onProgress: (text: string) => void;
  /** Told what is best so far, with the times that it was fitted to. */
  readonly onFit: (fit: Fit, model: Model) => void;
}

export interface CalibrationResult {
  readonly fit: Fit;
  /** Of all times of the configurations, with the shapes of messages that were found. */
  readonly whole: Model;
  /** Parameters that were to be found, but do not matter for plans that were left out. */
  readonly notDetermined: ReadonlySet<number>;
  /** What each time of `whole` is by values that were found without its configuration; undefined where too few are there, or time was up. */
  readonly timesWithoutOwn: Float64Array | undefined;
}

/**
 * Starts, by the last part of parameters' names. What takes longest hides the rest, whose slopes are 0 then: so in each start something else
 * takes longest, the overheads of lanes, their bytes, or the gaps between messages.
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
  const model = new Model(set, thinned(configurations, fitting.mostOperations));
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
    // The pieces may say too much of values that are far away, so that what they say is simulated.
    if (again.loss <= best.loss * (1 + fitting.leastGrowth) + surrogateTolerance) {
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

/** Parameters that do not matter by the known pieces, the least one first; each is looked at with those before it at their standards. */
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

/** The best values by the known pieces with the parameters of `fixed` at their standards. */
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

/** The start from which a few rounds on a few sizes lead furthest, and where they led. */
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

/** What the search goes on from: values, and the shapes of messages with which they were found. */
interface Shaped {
  readonly set: ParameterSet;
  readonly values: Float64Array;
}

/** Shapes next to one: shorter and longer slices, and a quarter less and more of a message to be seen while it arrives. */
function besides({ visible, slice }: MessageShape): readonly MessageShape[] {
  const slices = [1 / 2, 3 / 4, 3 / 2, 2].map((factor) => ({ visible, slice: wholeKib(slice * factor) }));
  const seen = [visible - 1 / 4, visible + 1 / 4].filter((part) => part >= 0 && part <= 1);
  return [...slices, ...seen.map((part) => ({ visible: part, slice }))];
}

function wholeKib(bytes: number): number {
  return 2 ** 10 * Math.max(1, Math.round(bytes / 2 ** 10));
}

/**
 * For each protocol the shape of messages with which its own times come out best: the one next to it that helps most, as long as one does. Its own
 * parameters move with it.
 */
function bestShapes(request: FitSearchRequest, start: Float64Array): Shaped {
  const { configurations, standard, fixed, solver, shouldStop, onProgress } = request;
  const some = thinned(configurations, fitting.mostOperations / 4);
  let { set } = request;
  let values = start;
  for (const protocol of set.protocols) {
    // Who fixes what a lane does, or fits something else only, wants no other shape either.
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
    if (next === undefined || next.fit.loss > best.loss * (1 - fitting.leastGrowth))
      return { set, values: best.values };
    ({ shape, set, fit: best } = next);
  }
}

/** As many sizes of each configuration as a search has the time for. */
export function thinned(configurations: readonly Configuration[], mostOperations: number): readonly Configuration[] {
  for (let count = fitting.mostSizes; ; count--) {
    const some = configurations.map((each) => withSizes(each, count));
    const work = some.reduce((sum, { plan, times }) => sum + times.length * operationCount(plan), 0);
    if (work <= mostOperations || count === fitting.sizesOfStarts) return some;
  }
}

/** The smallest size, the largest, and those evenly between. */
function withSizes(configuration: Configuration, count: number): Configuration {
  const { times } = configuration;
  const places = Array.from({ length: count }, (_, index) => Math.round((index * (times.length - 1)) / (count - 1)));
  return { ...configuration, times: [...new Set(places)].map((place) => times[place]) };
}

function percent(loss: number): string {
  return `${(100 * (Math.exp(loss) - 1)).toFixed(1)} %`;
}

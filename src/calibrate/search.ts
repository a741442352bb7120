/** From configurations to values: several starts, then all points, then the parameters that turn out not to matter put back. */
import { operationCount } from '../ir/plan.ts';
import type { Solver } from '../synth/solver/index.ts';
import type { Configuration } from './configuration.ts';
import { evaluated, type Fit, fitTo, learn, nearby } from './fit.ts';
import { type Known, timesWithoutOwn, type Worth, worthOf } from './folds.ts';
import { fitting } from './limits.ts';
import { Model } from './model.ts';
import type { ParameterSet } from './parameters.ts';
import { Surrogate } from './surrogate.ts';

export interface SearchRequest {
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

export interface Found {
  readonly fit: Fit;
  /** Parameters that were to be found, but do not matter for plans that were left out. */
  readonly notDetermined: ReadonlySet<number>;
  /** What each time of `whole` is by values that were found without its configuration; undefined where too few are there, or time was up. */
  readonly timesWithoutOwn: Float64Array | undefined;
}

/** What moves the mean error by less than a tenth of a percent does not matter, however sure it is. */
const leastSpread = 1e-3;

/**
 * Starts, by the last part of parameters' names. What takes longest hides the rest, whose slopes are 0 then: so in each start something else
 * takes longest, the overheads of lanes, their bytes, or the gaps between messages.
 */
const starts: readonly Readonly<Record<string, number>>[] = [
  {},
  { overhead: 4, bandwidth: 1 / 3 },
  { overhead: 1 / 4, bandwidth: 3 },
  { overhead: 1 / 2, gap: 8 },
];

/** @param whole a model of all times of the configurations, of which the search may look at some only */
export function search(request: SearchRequest, whole: Model): Found {
  const { set, configurations, standard, fixed, solver, shouldStop, onProgress, onFit } = request;
  const model = new Model(set, thinned(configurations));
  const common = { solver, standard, fixed, shouldStop };
  const onRound = (fit: Fit, round: number): void => {
    onProgress(`round ${round}: the mean error is ${percent(fit.loss)}`);
    onFit(fit, model);
  };
  const start = bestStart(request);
  let best = fitTo(model, { ...common, start, rounds: fitting.rounds, onRound });
  const surrogate = new Surrogate(model.points);
  learn(model, surrogate, best);
  const known: Known = { model, surrogate, solver, standard };
  const notDetermined = new Set<number>();
  if (configurations.length < 2) return { fit: best, notDetermined, timesWithoutOwn: undefined };
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
    if (again.loss <= best.loss * (1 + fitting.leastGrowth) + leastSpread) {
      best = again;
      for (const { parameter } of idle) notDetermined.add(parameter);
      learn(model, surrogate, best);
      break;
    }
    idle.pop();
  }
  if (shouldStop()) return { fit: best, notDetermined, timesWithoutOwn: undefined };
  onProgress('what comes true for plans that are left out');
  const left = timesWithoutOwn(known, whole, best, new Set([...fixed, ...notDetermined]));
  return { fit: best, notDetermined, timesWithoutOwn: left };
}

/** Parameters that do not matter by the known pieces, the least one first; each is looked at with those before it at their standards. */
function idleParameters(known: Known, best: Fit, fixed: ReadonlySet<number>, shouldStop: () => boolean): Worth[] {
  const idle: Worth[] = [];
  let from = best;
  while (!shouldStop()) {
    const isFixed = new Set([...fixed, ...idle.map(({ parameter }) => parameter)]);
    const [least] = worthOf(known, from, isFixed)
      .filter(({ mean, spread }) => mean <= Math.max(spread, leastSpread))
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
function bestStart(request: SearchRequest): Float64Array {
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
      const isOfLinks = link !== undefined && last === 'bandwidth';
      return fixed.has(p) || isOfLinks ? value : value * (factors[last] ?? 1);
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

/** As many sizes of each configuration as a search has the time for. */
export function thinned(configurations: readonly Configuration[]): readonly Configuration[] {
  for (let count = fitting.mostSizes; ; count--) {
    const some = configurations.map((each) => withSizes(each, count));
    const work = some.reduce((sum, { plan, times }) => sum + times.length * operationCount(plan), 0);
    if (work <= fitting.mostOperations || count === fitting.sizesOfStarts) return some;
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

/** Calibration: fits a machine's parameters (latencies, bandwidths, overheads) to measured times, and judges the fit by times it has not seen. */
import { CccError } from '../ir/diagnostic.ts';
import type { Topology } from '../ir/topology.ts';
import { counted } from '../ir/units.ts';
import { loadSolver, type Solver } from '../solver/index.ts';
import type { Configuration } from './configuration.ts';
import type { Prediction } from './errors.ts';
import { evaluated, type Fit, fitTo } from './fit.ts';
import { lineThrough, timeOn } from './floor.ts';
import { fitting } from './limits.ts';
import { Model } from './model.ts';
import { type CalibratedParameter, ParameterSet } from './parameters.ts';
import { asWritten } from './quantities.ts';
import { type CalibrationResult, search, thinned } from './search.ts';
import { median, relativeError } from './statistics.ts';

export interface CalibrationRequest {
  readonly fitted: readonly Configuration[];
  /** Configurations that are not fitted but predicted, to judge the fit; if there are none, the fit is judged by cross-validation. */
  readonly left: readonly Configuration[];
  /** Names of the parameters to fit; default: all. */
  readonly fit: readonly string[] | undefined;
  /** Values of parameters that are not fitted, in seconds, or in bytes per second for rates. */
  readonly fix: ReadonlyMap<string, number>;
  readonly shouldStop: () => boolean;
  readonly onProgress: (text: string) => void;
  /** Called with each improved fit. It has only the errors of the fitted times, and no comparison with the model of links alone. */
  readonly onBetter?: ((calibration: Calibration) => void) | undefined;
}

/** A parameter after the fit, and how well the times determine it. */
export type ParameterKnowledge = 'calibrated' | 'not determined' | 'fixed';

export interface FoundParameter {
  readonly parameter: CalibratedParameter;
  /** In the parameter's unit (`Parameter`). */
  readonly value: number;
  readonly knowledge: ParameterKnowledge;
}

export interface Calibration {
  readonly set: ParameterSet;
  readonly parameters: readonly FoundParameter[];
  readonly values: Float64Array;
  readonly fitted: readonly Configuration[];
  readonly left: readonly Configuration[];
  /** Errors for the configurations that were fitted. */
  readonly own: readonly Prediction[];
  /** Errors for configurations predicted by fits that had not seen them; undefined if there were too few configurations or the time was up. */
  readonly unseen: readonly Prediction[] | undefined;
  /** Errors of a model in which only links take time, fitted to the same times, for comparison; undefined before the search has ended. */
  readonly plain: readonly Prediction[] | undefined;
  /** Errors of a line a + bM fitted to each configuration by itself: the noise that no model can explain. */
  readonly floor: readonly Prediction[];
  readonly stoppedEarly: boolean;
}

/**
 * Fits the parameters of a machine to measured times.
 *
 * @throws CccError 'usage' for unknown names of parameters and for fewer configurations than the parameters need, 'no-plan' if no
 * values of the parameters explain the times
 */
export async function calibrate(request: CalibrationRequest): Promise<Calibration> {
  const { fitted, left, shouldStop, onProgress } = request;
  if (fitted.length === 0) throw new CccError('usage', 'no measurement is left to be fitted');
  const configurations = [...fitted, ...left];
  const topologies = [...new Set(configurations.map(({ topology }) => topology))];
  const set = new ParameterSet(topologies, shortestOf(configurations), true);
  const standard = Float64Array.from(set.parameters, (parameter) => parameter.standard);
  const fixed = fixedOf(set, request, standard);
  checkEnough(set, fixed, fitted);
  const solver = await loadSolver('auto');
  const judged = left.length > 0 ? left : fitted;
  const floor = judged.flatMap(onOwnLine);
  const numbers = ({ values }: Pick<Fit, 'values'>, notDetermined: ReadonlySet<number>, { set }: Model) => {
    const kept = values.map((value, index) =>
      fixed.has(index) || notDetermined.has(index) ? standard[index] : asWritten(set.parameters[index].unit, value),
    );
    const parameters = set.parameters.map((parameter, index): FoundParameter => {
      const knowledge = fixed.has(index) ? 'fixed' : notDetermined.has(index) ? 'not determined' : 'calibrated';
      return { parameter, value: kept[index], knowledge };
    });
    return { set, parameters, values: kept, fitted, left, floor };
  };
  const onFit = (fit: Fit, of: Model): void => {
    const soFar = { own: predictionsOf(of, fit.times), unseen: undefined, plain: undefined, stoppedEarly: true };
    request.onBetter?.({ ...numbers(fit, new Set(), of), ...soFar });
  };
  const requested = { set, configurations: fitted, standard, fixed, solver, shouldStop, onProgress, onFit };
  const found = search(requested);
  const { whole } = found;
  const result = numbers(found.fit, found.notDetermined, whole);
  const { values } = result;
  onProgress('the times of what was found');
  const own = predictionsOf(whole, evaluated(whole, values).times);
  checkExplained(own);
  const unseen = left.length > 0 ? allOf(whole.set, left, values) : unseenOf(found);
  onProgress('the times by links alone');
  const plain = plainOf(topologies, fitted, judged, solver, shouldStop);
  return { ...result, own, unseen, plain, stoppedEarly: shouldStop() };
}

function shortestOf(configurations: readonly Configuration[]): ReadonlyMap<string | undefined, number> {
  const shortest = new Map<string | undefined, number>();
  for (const { protocol, times } of configurations) {
    const least = Math.min(...times.map(({ seconds }) => seconds));
    shortest.set(protocol, Math.min(least, shortest.get(protocol) ?? Number.POSITIVE_INFINITY));
  }
  return new Map([...shortest].sort(([a = ''], [b = '']) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** Indices of the parameters that are not fitted. The values that `fix` gives are written into `standard`. */
function fixedOf(set: ParameterSet, { fit, fix }: CalibrationRequest, standard: Float64Array): ReadonlySet<number> {
  const fixed = new Set<number>();
  if (fit !== undefined) {
    const wanted = new Set(fit.map((name) => set.numberOf(name)));
    for (let p = 0; p < set.parameters.length; p++) if (!wanted.has(p)) fixed.add(p);
  }
  for (const [name, value] of fix) {
    const p = set.numberOf(name);
    fixed.add(p);
    standard[p] = set.parameters[p].unit === 'seconds' ? value : 1 / value;
  }
  return fixed;
}

/** Parameters in the order in which users are advised to fix them: those first that measured times usually determine worst. */
const weakest = [
  'longOverhead',
  'longBandwidth',
  'overhead',
  'connection',
  'rendezvous',
  'bandwidth',
  'latency',
  'launch',
  'gap',
];

function checkEnough(set: ParameterSet, fixed: ReadonlySet<number>, fitted: readonly Configuration[]): void {
  const requested = set.parameters.filter((_, index) => !fixed.has(index));
  const tooMany = requested.length - fitting.parametersPerConfiguration * fitted.length;
  if (tooMany <= 0) return;
  const placeOf = ({ name }: CalibratedParameter): number => weakest.indexOf(name.split('.').at(-1) ?? '');
  const names = [...requested].sort((a, b) => placeOf(a) - placeOf(b)).map(({ name }) => name);
  const message =
    `${counted(fitted.length, 'configuration')} cannot determine ${counted(requested.length, 'parameter')}: each determines ${fitting.parametersPerConfiguration}; ` +
    `fix ${tooMany} of them (--fix name=value) or fit fewer (--fit), such as without ${names.slice(0, tooMany).join(', ')}`;
  throw new CccError('usage', `${message}; the parameters are ${set.parameters.map(({ name }) => name).join(', ')}`);
}

function checkExplained(own: readonly Prediction[]): void {
  const errorOf = (predictions: readonly Prediction[]): number =>
    median(predictions.map(({ measured, predicted }) => relativeError(measured, predicted)));
  const error = errorOf(own);
  if (error <= fitting.unexplained) return;
  const long = [...new Set(own.map(({ configuration }) => configuration))].filter(({ times }) => times.length > 2);
  const lines = errorOf(long.flatMap(onOwnLine));
  const percent = (part: number): string => `${(100 * part).toFixed(0)} %`;
  const why =
    long.length === 0
      ? 'no configuration has three times, so that nothing tells whether they are noise'
      : lines > fitting.unexplained / 2
        ? `a line a + bM of its own misses the times of each configuration by ${percent(lines)} (median): they are noise, or steps`
        : `a line a + bM for each configuration misses them by ${percent(lines)}: they are no noise, but not what this machine would take`;
  throw new CccError(
    'no-plan',
    `no parameters explain these times: the best miss half of them by ${percent(error)} and more; ${why}`,
  );
}

function predictionsOf({ points }: Model, times: Float64Array): readonly Prediction[] {
  return points.map(({ configuration, size, measured }, index) => {
    return { configuration, size, measured, predicted: times[index] };
  });
}

function allOf(
  set: ParameterSet,
  configurations: readonly Configuration[],
  values: Float64Array,
): readonly Prediction[] {
  const model = new Model(set, configurations);
  return predictionsOf(model, evaluated(model, values).times);
}

function unseenOf({ whole, timesWithoutOwn }: CalibrationResult): readonly Prediction[] | undefined {
  return timesWithoutOwn === undefined ? undefined : predictionsOf(whole, timesWithoutOwn);
}

function onOwnLine(configuration: Configuration): readonly Prediction[] {
  const line = lineThrough(configuration.times);
  return configuration.times.map(({ size, seconds }) => {
    return { configuration, size, measured: seconds, predicted: timeOn(line, size) };
  });
}

/** The model in which only links take time, fitted to the same configurations and judged by the same ones, for comparison. */
function plainOf(
  topologies: readonly Topology[],
  fitted: readonly Configuration[],
  judged: readonly Configuration[],
  solver: Solver,
  shouldStop: () => boolean,
): readonly Prediction[] {
  const set = new ParameterSet(topologies, new Map(), false);
  const standard = Float64Array.from(set.parameters, (parameter) => parameter.standard);
  const start = standard;
  const fixed = new Set<number>();
  const onRound = (): void => {};
  const model = new Model(set, thinned(fitted, fitting.maxOperations));
  const { values } = fitTo(model, {
    solver,
    start,
    standard,
    fixed,
    rounds: fitting.roundsOfPlain,
    shouldStop,
    onRound,
  });
  return allOf(set, judged, values);
}

/** Error tables: how far predicted times are from measured ones, and how much time is lost by choosing plans by predictions. */
import type { Configuration, ConfigurationLabel } from './configuration.ts';
import { fitting } from './limits.ts';
import { mean, median, quantile, regret, relativeError, spearman } from './statistics.ts';

/** A measured time and its prediction. */
export interface Prediction<Subject extends ConfigurationLabel = Configuration> {
  readonly configuration: Subject;
  readonly size: number;
  readonly measured: number;
  readonly predicted: number;
}

export interface Errors {
  readonly points: number;
  readonly configurations: number;
  /** Statistics of the error exp |log(measured / predicted)| − 1. */
  readonly median: number;
  readonly p90: number;
  /** Spearman's ρ between predictions and measurements, averaged over the races; undefined if no race has three plans. */
  readonly rankCorrelation: number | undefined;
  /** How much longer than the fastest plan the plan takes that predictions choose: mean and median over the races; undefined without races. */
  readonly meanRegret: number | undefined;
  readonly medianRegret: number | undefined;
}

/** Groups times into races: a race has all configurations measured for the same collective, number of ranks and size. */
export function errorsOf(predictions: readonly Prediction<ConfigurationLabel>[]): Errors {
  const errors = predictions.map(({ measured, predicted }) => relativeError(measured, predicted));
  const races = groupedBy(
    predictions,
    ({ configuration: { collective, ranks }, size }) => `${collective} ${ranks} ${size}`,
  );
  const contested = [...races.values()].filter((race) => race.length > 1);
  const correlations = contested.flatMap((race) => {
    const rho =
      race.length < fitting.minPlansInRace ? undefined : spearman(race.map(measuredOf), race.map(predictedOf));
    return rho === undefined ? [] : [rho];
  });
  const regrets = contested.map((race) => regret(race.map(measuredOf), race.map(predictedOf)));
  return {
    points: predictions.length,
    configurations: new Set(predictions.map(({ configuration }) => configuration)).size,
    median: median(errors),
    p90: quantile(errors, 0.9),
    rankCorrelation: correlations.length === 0 ? undefined : mean(correlations),
    meanRegret: regrets.length === 0 ? undefined : mean(regrets),
    medianRegret: regrets.length === 0 ? undefined : median(regrets),
  };
}

const measuredOf = (prediction: Prediction<ConfigurationLabel>): number => prediction.measured;
const predictedOf = (prediction: Prediction<ConfigurationLabel>): number => prediction.predicted;

/** Groups values by a key, in the order in which the keys first occur. */
export function groupedBy<Value>(values: readonly Value[], keyOf: (value: Value) => string): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

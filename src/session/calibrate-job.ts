/** Fits the parameters of a machine to measured times, as a job for a worker. */
import {
  type Calibration,
  type ConfigurationLabel,
  calibratedFile,
  errorsOf,
  calibrate as fitNumbers,
  type Prediction,
  type Subjects,
  splitOf,
  subjectsOf,
} from '../calibrate/index.ts';
import { host } from '../host/host.ts';
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import type { Limits } from '../ir/limits.ts';
import { ranksOf, type Topology } from '../ir/topology.ts';
import { counted } from '../ir/units.ts';
import { describeTopology, findTopology, resolveTopology } from '../read/index.ts';
import { readMeasurements } from '../read/measurements/index.ts';
import type { JobControl } from './workers/job-control.ts';

/** The machine to calibrate, and the measurements. */
export interface CalibrationInput {
  /** Name of a shipped machine, or the name of `machine` in messages. */
  readonly topo: string;
  /** The text of the machine's topology file, if it is no shipped one. */
  readonly machine?: SourceText | undefined;
  /** Measured times: CSV, logs of nccl-tests or rccl-tests, OSU, IMB, `ccc run --json`. */
  readonly files: readonly SourceText[];
}

/** A parameter with its fitted value. */
export interface CalibratedParameter {
  readonly name: string;
  /** `seconds`, or seconds per byte for rates. */
  readonly unit: Calibration['parameters'][number]['parameter']['unit'];
  readonly value: number;
  readonly knowledge: Calibration['parameters'][number]['knowledge'];
}

/** One measured time with its prediction. */
export type LabelledPrediction = Prediction<ConfigurationLabel>;

/** The result, as plain data. */
export interface CalibratedMachine {
  /** The text of the topology file with the fitted parameters. */
  readonly file: string;
  /** What it was calibrated from, and when. */
  readonly about: string;
  /** How many measurements there were, how many of them repetitions, and how many were dropped for which reason. */
  readonly measurements: number;
  readonly repeated: number;
  readonly dropped: Subjects['dropped'];
  readonly notes: readonly string[];
  /** Names of the configurations that were fitted, and of those that were left out. */
  readonly fitted: readonly string[];
  readonly left: readonly string[];
  readonly parameters: readonly CalibratedParameter[];
  /** Predictions for the configurations that were fitted, and for those that were not (undefined if there are too few). */
  readonly own: readonly LabelledPrediction[];
  readonly unseen: readonly LabelledPrediction[] | undefined;
  /** Predictions by a model of links alone (undefined if the time was up), and by a line a + bM for each configuration. */
  readonly plain: readonly LabelledPrediction[] | undefined;
  readonly floor: readonly LabelledPrediction[];
  readonly stoppedEarly: boolean;
}

/** The assignment of a worker. */
export interface CalibrateWork extends CalibrationInput {
  readonly plan: string | undefined;
  readonly protocol: string | undefined;
  readonly unverified: boolean;
  readonly fit: readonly string[] | undefined;
  readonly fix: readonly (readonly [string, number])[];
  readonly holdOut: number;
  readonly seed: number;
  readonly date: string | undefined;
  readonly limits: Limits;
}

export async function calibrateJob(
  work: CalibrateWork,
  { shouldStop, onProgress, onResult }: JobControl<CalibratedMachine>,
): Promise<CalibratedMachine> {
  const { limits, plan, protocol, unverified, seed, holdOut, fix } = work;
  const measured = work.files.map((source) => ({
    table: readMeasurements(source),
    planFile: (name: string) => planBeside(source, name),
  }));
  const machine = machinesOf(work);
  onProgress('the plans');
  const subjects = await subjectsOf(measured, { plan, protocol, unverified, limits, machine });
  const { configurations } = subjects;
  const split = splitOf(configurations, holdOut, seed);
  const date = work.date ?? latest(measured.map(({ table }) => table.date));
  const onBetter = (soFar: Calibration): void => onResult(dataOf(work, subjects, soFar, date));
  const asked = { ...split, fit: work.fit, fix: new Map(fix) };
  return dataOf(work, subjects, await fitNumbers({ ...asked, shouldStop, onProgress, onBetter }), date);
}

function dataOf(
  work: CalibrateWork,
  { measurements, repeated, dropped, notes }: Subjects,
  calibration: Calibration,
  date: string | undefined,
): CalibratedMachine {
  const { source } = findTopology(work.topo, readOptions(work));
  const files = work.files.map(({ name }) => name.split('/').at(-1) ?? name).join(', ');
  const about = `calibrated${date === undefined ? '' : ` on ${date}`} from ${files}`;
  const { fitted, left, own, unseen, plain, floor, parameters, stoppedEarly } = calibration;
  // One label for each configuration: errors count configurations by identity.
  const labels = new Map<ConfigurationLabel, ConfigurationLabel>();
  const labelled = (predictions: readonly Prediction[]): readonly LabelledPrediction[] =>
    predictions.map((prediction) => {
      const { name, collective, ranks, protocol } = prediction.configuration;
      const label = labels.get(prediction.configuration) ?? { name, collective, ranks, protocol };
      labels.set(prediction.configuration, label);
      return { ...prediction, configuration: label };
    });
  return {
    file: calibratedFile(source, calibration, about, [sentenceOn(calibration, about)]),
    about,
    ...{ measurements, repeated, dropped, notes, stoppedEarly },
    fitted: fitted.map(({ name }) => name),
    left: left.map(({ name }) => name),
    parameters: parameters.map(({ parameter: { name, unit }, value, knowledge }) => ({ name, unit, value, knowledge })),
    own: labelled(own),
    unseen: unseen && labelled(unseen),
    plain: plain && labelled(plain),
    floor: labelled(floor),
  };
}

/** Writes the summary that every report on the calibrated machine contains. */
function sentenceOn({ fitted, own, unseen }: Calibration, about: string): string {
  const times = fitted.reduce((sum, each) => sum + each.times.length, 0);
  const { median, p90 } = errorsOf(unseen ?? own);
  const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;
  const how = unseen === undefined ? 'of the times themselves' : 'of plans that were left out';
  return `${about}: ${counted(times, 'time')} of ${counted(fitted.length, 'configuration')}; ${how} the median error is ${percent(median)}, the 90th percentile ${percent(p90)}`;
}

function readOptions({ machine, limits }: CalibrateWork): { limits: Limits; read?: () => SourceText } {
  return machine === undefined ? { limits } : { limits, read: () => machine };
}

/** Returns the path of a plan, which is in the folder of the file that names it or in the working directory. */
function planBeside(source: SourceText, name: string): string {
  const beside = host().pathFrom(source.name, name);
  return host().exists(beside) ? beside : name;
}

function latest(dates: readonly (string | undefined)[]): string | undefined {
  return dates
    .flatMap((date) => date ?? [])
    .sort()
    .at(-1);
}

/**
 * Returns a function from a number of ranks to the machine with so many; 0 means the machine as it was named. If its name has no value for its
 * parameter, the value with that number of ranks is chosen.
 */
function machinesOf(work: CalibrateWork): (ranks: number) => Topology {
  const known = new Map<number, Topology>();
  return (ranks) => {
    const before = known.get(ranks);
    if (before !== undefined) return before;
    const machine = machineOf(work, ranks);
    known.set(ranks, machine);
    known.set(ranksOf(machine), known.get(ranksOf(machine)) ?? machine);
    return known.get(ranksOf(machine)) ?? machine;
  };
}

function machineOf(work: CalibrateWork, ranks: number): Topology {
  const { topo } = work;
  const options = readOptions(work);
  const named = resolveTopology(topo, options);
  if (ranks === 0 || ranksOf(named) === ranks) return named;
  const { source, request } = findTopology(topo, options);
  const { parameters } = describeTopology(source, work.limits);
  if (parameters.length > 0 && request.values.length === 0) {
    for (let value = 1; value <= ranks; value++) {
      const machine = sized(`${topo}:${value}`, options);
      if (machine !== undefined && ranksOf(machine) === ranks) return machine;
      if (machine !== undefined && ranksOf(machine) > ranks) break;
    }
  }
  const message = `the plan is for ${counted(ranks, 'rank')}, and ${topo} has ${ranksOf(named)}`;
  throw new CccError('usage', message);
}

/** Returns the machine with a value for its parameter; undefined if it cannot have that value. */
function sized(spec: string, options: ReturnType<typeof readOptions>): Topology | undefined {
  try {
    return resolveTopology(spec, options);
  } catch (error) {
    if (error instanceof CccError && error.code === 'range') return undefined;
    throw error;
  }
}

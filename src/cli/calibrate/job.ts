/** The work of `ccc calibrate`: plans read and proved, times fitted, everything that is written made. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type Calibration,
  calibrate,
  calibratedFile,
  type Subjects,
  splitOf,
  subjectsOf,
} from '../../calibrate/index.ts';
import { CccError, type SourceText } from '../../ir/diagnostic.ts';
import type { Limits } from '../../ir/limits.ts';
import { ranksOf, type Topology } from '../../ir/topology.ts';
import { counted } from '../../ir/units.ts';
import { describeTopology, findTopology, resolveTopology } from '../../read/index.ts';
import { readMeasurements } from '../../read/measurements/index.ts';
import type { JobControl } from '../jobs/job.ts';
import { errorTexts } from './errors.ts';
import { scatterPicture } from './picture.ts';
import { calibrationDocument, calibrationText } from './report.ts';

export interface CalibrateWork {
  readonly topo: string;
  /** The text of the machine where it is no shipped one. */
  readonly machine: SourceText | undefined;
  readonly files: readonly SourceText[];
  readonly plan: string | undefined;
  readonly protocol: string | undefined;
  readonly unverified: boolean;
  readonly fit: readonly string[] | undefined;
  readonly fix: readonly (readonly [string, number])[];
  readonly holdOut: number;
  readonly seed: number;
  readonly date: string | undefined;
  readonly limits: Limits;
  readonly width: number | undefined;
}

/** Data, all of it. */
export interface FoundNumbers {
  /** The topology file. */
  readonly file: string;
  readonly text: string;
  readonly document: object;
  /** SVG. */
  readonly picture: string;
  readonly stoppedEarly: boolean;
}

export async function calibrateJob(
  work: CalibrateWork,
  { shouldStop, onProgress, onResult }: JobControl<FoundNumbers>,
): Promise<FoundNumbers> {
  const { limits, plan, protocol, unverified, seed, holdOut, fit, fix } = work;
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
  const onBetter = (soFar: Calibration): void => onResult(found(work, subjects, soFar, date));
  const calibration = await calibrate({ ...split, fit, fix: new Map(fix), shouldStop, onProgress, onBetter });
  return found(work, subjects, calibration, date);
}

function found(
  work: CalibrateWork,
  subjects: Subjects,
  calibration: Calibration,
  date: string | undefined,
): FoundNumbers {
  const { source } = findTopology(work.topo, readOptions(work));
  const names = work.files.map(({ name }) => name.split('/').at(-1) ?? name).join(', ');
  const about = `calibrated${date === undefined ? '' : ` on ${date}`} from ${names}`;
  const { fitted } = calibration;
  const times = fitted.reduce((sum, each) => sum + each.times.length, 0);
  const error = errorTexts(calibration.unseen ?? calibration.own);
  const how = calibration.unseen === undefined ? 'of the times themselves' : 'of plans that were left out';
  const notes = [
    `${about}: ${counted(times, 'time')} of ${counted(fitted.length, 'configuration')}; ${how} the median error is ${error.median}, the 90th percentile ${error.p90}`,
  ];
  return {
    file: calibratedFile(source, calibration, about, notes),
    text: calibrationText(subjects, calibration, work.width),
    document: calibrationDocument(subjects, calibration),
    picture: scatterPicture(calibration.unseen ?? calibration.own, about),
    stoppedEarly: calibration.stoppedEarly,
  };
}

function readOptions({ machine, limits }: CalibrateWork): { limits: Limits; read?: () => SourceText } {
  return machine === undefined ? { limits } : { limits, read: () => machine };
}

/** Plans stand beside the file that names them, or where the command was given. */
function planBeside(source: SourceText, name: string): string {
  const beside = join(dirname(source.name), name);
  return existsSync(beside) ? beside : name;
}

function latest(dates: readonly (string | undefined)[]): string | undefined {
  return dates
    .flatMap((date) => date ?? [])
    .sort()
    .at(-1);
}

/**
 * The machine by number of ranks, 0 for as it was named. A machine that takes a parameter and was given none is taken in the size that
 * has the ranks of the plan.
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

/** The machine in a size, if it can have it. */
function sized(spec: string, options: ReturnType<typeof readOptions>): Topology | undefined {
  try {
    return resolveTopology(spec, options);
  } catch (error) {
    if (error instanceof CccError && error.code === 'range') return undefined;
    throw error;
  }
}

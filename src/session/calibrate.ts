/** Fits the parameters of a machine to measured times of plans, which are read and proved first (docs/calibration.md). */
import { defaultLimits, type Limits } from '../ir/limits.ts';
import type { CalibratedMachine, CalibrationInput } from './calibrate-job.ts';
import { Job } from './job.ts';
import { type JobOptions, settingsOf } from './job-options.ts';
import { failureOf, type Outcome } from './outcome.ts';
import { runJob } from './workers/run-job.ts';

export interface CalibrateOptions extends JobOptions {
  /** What ran, if the measurements do not say it: a plan's file, or a shipped schedule. */
  readonly plan?: string | undefined;
  /** The protocol of measurements that do not say theirs; default: that of the algorithm. */
  readonly protocol?: string | undefined;
  /** Takes times of plans that do not verify as well. */
  readonly unverified?: boolean | undefined;
  /** Names of the parameters to fit; default: all. */
  readonly fit?: readonly string[] | undefined;
  /** Values of parameters that stay: seconds, or bytes per second for rates. */
  readonly fix?: readonly (readonly [name: string, value: number])[] | undefined;
  /** How many configurations are left out, and judged instead of fitted; default 0: parts are left out one after the other. */
  readonly holdOut?: number | undefined;
  /** Decides which configurations are left out. */
  readonly seed?: number | undefined;
  /** When it was measured, such as `2024-04-03`; default: what the data say. */
  readonly date?: string | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

export type CalibrateJob = Job<CalibratedMachine, Outcome<{ readonly machine: CalibratedMachine }>>;

/**
 * Fits the numbers of a machine to measured times.
 *
 * ```ts
 * const files = [{ name: 'times.csv', text: await readFile('times.csv', 'utf8') }];
 * const outcome = await calibrate({ topo: 'ring:4', files }, { plan: 'ring.json', fit: ['launch', 'bandwidth'] });
 * if (outcome.ok) await writeFile('ring-calibrated.yaml', outcome.machine.file);
 * ```
 * The job is rejected with a CccError for measurements that cannot be read or belong to other plans, and for too few of them.
 */
export function calibrate(input: CalibrationInput, options: CalibrateOptions = {}): CalibrateJob {
  return new Job(async ({ onBetter }) => {
    try {
      const { plan, protocol, unverified = false, fix = [], holdOut = 0, seed = 0, date } = options;
      const limits = { ...defaultLimits, ...options.limits };
      const asked = { plan, protocol, unverified, fit: options.fit, fix, holdOut, seed, date, limits };
      const settings = settingsOf<CalibratedMachine>(options, undefined, onBetter);
      return { ok: true, machine: await runJob('calibrate', { ...input, ...asked }, settings) };
    } catch (error) {
      return failureOf(error);
    }
  });
}

/** Finds out which plan to use for which message size. */
import type { RangedBundle } from '../../emit/index.ts';
import { CccError } from '../../ir/diagnostic.ts';
import { dtypeBytes } from '../../ir/dtype.ts';
import { defaultLimits, type Limits } from '../../ir/limits.ts';
import type { Bytes } from '../../ir/units.ts';
import type { ProvedBundle } from '../../search/proved-bundle.ts';
import type { RuleComparison } from '../../tune/comparing.ts';
import type { RulesVersion } from '../../tune/open-mpi.ts';
import { sizeSeries } from '../../tune/ranges.ts';
import { BundledPlan } from '../bundled-plan.ts';
import type { CollectiveRequest } from '../collectives.ts';
import { checkRequestFitsLimits } from '../compile/fits.ts';
import { received } from '../compile/found-plan.ts';
import { Job } from '../job.ts';
import { type JobOptions, settingsOf } from '../job-options.ts';
import { failureOf, type Outcome } from '../outcome.ts';
import { readyFor } from '../targets.ts';
import { runJob } from '../workers/run-job.ts';
import { rangesEmitter } from './ranges-emitter.ts';
import type { TunedPlanData, TunedRange, TuningData } from './tuning-data.ts';
import type { FoundTunings, TuneTarget, TuneWork } from './tuning-job.ts';

export interface TuneOptions extends JobOptions {
  /** The least and the greatest size in bytes; default 1 KiB and 1 GiB. */
  readonly sizes?: readonly [Bytes, Bytes] | undefined;
  /** How many sizes are tuned, evenly spaced by ratio; default 21. Between them the sizes are found at which plans take over. */
  readonly points?: number | undefined;
  /** How much longer than the best plan a plan may take before it is replaced, as a share; default 0.01. */
  readonly tolerance?: number | undefined;
  readonly engine?: string | undefined;
  readonly seed?: number | undefined;
  readonly parameters?: Readonly<Record<string, number>> | undefined;
  /** All plans combine by one tree of reductions, so that results have the same bits whatever the size of the message. */
  readonly sameBits?: boolean | undefined;
  /** Whether to return the plans; false saves the time of proving them if only the choice among algorithms is wanted. Default true. */
  readonly plans?: boolean | undefined;
  /** Version of Open MPI's rules format in which to write a rules file; default: none is written. */
  readonly openMpiRules?: RulesVersion | undefined;
  /** Whether to write the table for NCCL's example tuner plugin. */
  readonly ncclTable?: boolean | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

/** A plan that is in use for at least one size. */
export class TunedPlan extends BundledPlan {
  /** Algorithm, engine, chunks, bulks, protocol, steps and latency. */
  readonly data: TunedPlanData;

  constructor(data: TunedPlanData) {
    super();
    this.data = data;
  }

  /** @throws CccError 'usage' if the plans were not asked for */
  override get bundle(): ProvedBundle {
    if (this.data.bundle !== undefined) return received(this.data.bundle);
    throw new CccError('usage', `${this.data.name} was tuned without its plan`);
  }
}

/** The result for one machine. */
export class Tuning {
  readonly data: TuningData;
  readonly plans: readonly TunedPlan[];

  constructor(data: TuningData) {
    this.data = data;
    this.plans = data.plans.map((plan) => new TunedPlan(plan));
  }

  /** Which plan to use between which sizes, by ascending size and without gaps. */
  get ranges(): readonly (Omit<TunedRange, 'plan'> & { readonly plan: TunedPlan })[] {
    return this.data.ranges.map((range) => ({ ...range, plan: this.plans[range.plan] }));
  }

  /** Time, bound and optimality at each size that was tuned. */
  get sizes(): TuningData['sizes'] {
    return this.data.sizes;
  }

  /** The choices of Open MPI, MPICH and NCCL at each size, and their times. */
  get comparisons(): readonly RuleComparison[] {
    return this.data.comparisons;
  }

  get stoppedEarly(): boolean {
    return this.data.stoppedEarly;
  }

  /** The plan for a message of `size` bytes: below the least and above the greatest size that was tuned it is the nearest one. */
  planFor(size: Bytes): TunedPlan {
    const { ranges } = this.data;
    const range = ranges.find(({ to }) => size < to) ?? ranges[ranges.length - 1];
    return this.plans[range.plan];
  }

  /**
   * One text with all plans, which chooses among them by the size of a message.
   * @param format one that has such a form: `mpi-c`, `ts`
   * @throws CccError 'unknown-name', 'usage' for a format without such a form, 'unsupported' for a plan that the format cannot express
   */
  async emit(format: string): Promise<string> {
    const emitter = await rangesEmitter(format);
    const ready = await Promise.all(this.plans.map(({ bundle }) => readyFor(emitter, bundle)));
    const ranged = this.data.ranges.map(({ from, plan }, index): RangedBundle => {
      return { from: index === 0 ? 0 : from, bundle: ready[plan] };
    });
    return [...(await emitter.emitRanges(ranged))].join('');
  }
}

/** The results for several machines, and the tables for other libraries. */
export interface Tunings extends Omit<FoundTunings, 'tunings'> {
  readonly tunings: readonly Tuning[];
}

export type TuneJob = Job<Tuning, Outcome<{ readonly tuning: Tuning }>>;
export type TuneEachJob = Job<Tunings, Outcome<Tunings>>;

/**
 * Finds the best plan for every size, and where one takes over from another.
 *
 * ```ts
 * const outcome = await tune(allreduce(machine), { sizes: [1024, 2 ** 30], tolerance: 0.01 });
 * if (outcome.ok) for (const { from, to, plan } of outcome.tuning.ranges) console.log(from, to, plan.name);
 * ```
 * The request's size is not used. The job is rejected with a CccError for mistakes in the request.
 */
export function tune(request: CollectiveRequest, options: TuneOptions = {}): TuneJob {
  return new Job(async ({ onBetter }) => {
    try {
      const [tuning] = (await tuned([request], options, ({ tunings }) => onBetter(tunings[0]))).tunings;
      return { ok: true, tuning };
    } catch (error) {
      return failureOf(error);
    }
  });
}

/** As `tune`, for the same collective on several machines. */
export function tuneEach(requests: readonly CollectiveRequest[], options: TuneOptions = {}): TuneEachJob {
  return new Job(async ({ onBetter }) => {
    try {
      return { ok: true, ...(await tuned(requests, options, onBetter)) };
    } catch (error) {
      return failureOf(error);
    }
  });
}

async function tuned(
  requests: readonly CollectiveRequest[],
  options: TuneOptions,
  onBetter: (tunings: Tunings) => void,
): Promise<Tunings> {
  const limits = { ...defaultLimits, ...options.limits };
  const work = tuneWork(requests, options, limits);
  const tuningsOf = ({ tunings, ...rest }: FoundTunings): Tunings => {
    return { ...rest, tunings: tunings.map((data) => new Tuning(data)) };
  };
  // Later results have more plans and machines: none is worse than the one before.
  const costOf = ({ tunings }: FoundTunings): number => -tunings.length;
  const onResult = (found: FoundTunings): void => onBetter(tuningsOf(found));
  return tuningsOf(await runJob('tune', work, settingsOf(options, costOf, onResult)));
}

function tuneWork(requests: readonly CollectiveRequest[], options: TuneOptions, limits: Limits): TuneWork {
  const { sizes = [2 ** 10, 2 ** 30], points = 21, tolerance = 0.01, engine = 'auto', seed = 0 } = options;
  const { parameters = {}, sameBits, plans = true } = options;
  const [{ dtype }] = requests;
  return {
    targets: requests.map((request) => targetOf(request, engine, limits)),
    request: {
      sizes: sizeSeries(...sizes, points, dtypeBytes[dtype]),
      ...{ tolerance, bulks: 'auto', engine, parameters, seed, sameBits, limits },
    },
    bundles: plans ? { seed, dtype, limits } : undefined,
    openMpiRules: options.openMpiRules,
    ncclTable: options.ncclTable === true,
  };
}

function targetOf({ machine, collective }: CollectiveRequest, engine: string, limits: Limits): TuneTarget {
  const { topology, groups, alternatives } = machine.data;
  if (groups !== undefined) throw new CccError('usage', 'only compile takes several groups at once');
  if (collective.kind === 'barrier') {
    throw new CccError('usage', 'a barrier moves no data: there is no size to tune it for');
  }
  checkRequestFitsLimits({ collective, engine, limits });
  return { topology, collective, ...(alternatives === undefined ? {} : { alternatives }) };
}

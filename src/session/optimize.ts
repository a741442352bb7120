/** Makes a given schedule or plan faster, as far as time allows. */

import type { ReductionOperator } from '../ir/collective.ts';
import { CccError, type SourceText } from '../ir/diagnostic.ts';
import type { Dtype } from '../ir/dtype.ts';
import type { Limits } from '../ir/limits.ts';
import { defaultLimits } from '../ir/limits.ts';
import { optimality } from '../ir/report.ts';
import type { Seconds } from '../ir/units.ts';
import type { OptimizeResult } from '../optimize/index.ts';
import type { ProvedBundle } from '../search/proved-bundle.ts';
import type { SolverName } from '../solver/index.ts';
import { BundledPlan } from './bundled-plan.ts';
import { type BytesLike, bytesOf } from './collectives.ts';
import { received } from './compile/found-plan.ts';
import { type PlanBound, planBound } from './compile/plan-bound.ts';
import { Job } from './job.ts';
import { type JobOptions, settingsOf } from './job-options.ts';
import type { Machine } from './machine/machine.ts';
import type { FoundOptimized, OptimizeWork } from './optimize-job.ts';
import { failureOf, type Outcome } from './outcome.ts';
import { runJob } from './workers/run-job.ts';

export interface OptimizeOptions extends JobOptions {
  /** M in bytes; default: what a plan says of itself, else 64 MiB. */
  readonly size?: BytesLike | undefined;
  readonly dtype?: Dtype | undefined;
  /** For schedules: chunks per shard to begin with, root, operator and parameters, as `ccc optimize` takes them. */
  readonly chunks?: number | undefined;
  readonly root?: number | undefined;
  readonly op?: ReductionOperator | undefined;
  readonly ordered?: boolean | undefined;
  readonly inPlace?: boolean | undefined;
  readonly parameters?: Readonly<Record<string, number>> | undefined;
  /** The solver of linear programs for the plan from scratch; default `auto`. */
  readonly solver?: SolverName | 'none' | undefined;
  /** Whether the engines also search for a plan from scratch, for comparison; default true. */
  readonly fromScratch?: boolean | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

/** The plan made from a schedule; it is never slower than the schedule. */
export class OptimizedPlan extends BundledPlan {
  private readonly found: FoundOptimized;

  constructor(found: FoundOptimized) {
    super();
    this.found = found;
  }

  override get bundle(): ProvedBundle {
    return received(this.found.bundle);
  }

  /** Name, simulated time and bulks of what was given. */
  get before(): OptimizeResult['before'] {
    return this.found.before;
  }

  /** Simulated time in seconds. */
  get time(): Seconds {
    return this.found.seconds;
  }

  get bound(): PlanBound {
    return planBound(this.found.bound);
  }

  /** bound / time. */
  get optimality(): number {
    return optimality(this.bound.seconds, this.time);
  }

  /** What was done, in order; empty if nothing made the schedule faster. */
  get improvements(): OptimizeResult['improvements'] {
    return this.found.improvements;
  }

  /** The best plan from scratch; undefined if the engines found none or did not search. */
  get engines(): OptimizeResult['engines'] {
    return this.found.engines;
  }

  /** Reasons why some improvements were not tried. */
  get notes(): readonly string[] {
    return this.found.notes;
  }

  get stoppedEarly(): boolean {
    return this.found.stoppedEarly;
  }
}

export type OptimizeJob = Job<OptimizedPlan, Outcome<{ readonly plan: OptimizedPlan }>>;

/**
 * Makes a schedule (YAML), a plan (JSON), an MSCCL (XML) or SCCL algorithm faster on a machine.
 *
 * ```ts
 * const { text } = loadScheduleFile('ring-allreduce');
 * const outcome = await optimize(text, await Machine.load('ring:4'), { size: '1MiB' });
 * if (outcome.ok) console.log(outcome.plan.before.seconds / outcome.plan.time);
 * ```
 * A file that is wrong to begin with ends in the outcome `unproved`. The job is rejected with a CccError for texts that cannot be read, and values
 * that do not go with them.
 */
export function optimize(source: SourceText, machine: Machine, options: OptimizeOptions = {}): OptimizeJob {
  return new Job(async ({ onBetter }) => {
    try {
      const request = optimizeRequest(machine, options);
      const planOf = (found: FoundOptimized): OptimizedPlan => new OptimizedPlan(found);
      const costOf = ({ seconds }: FoundOptimized): number => seconds;
      const settings = settingsOf(options, costOf, (found: FoundOptimized) => onBetter(planOf(found)));
      return { ok: true, plan: planOf(await runJob('optimize', { source, request }, settings)) };
    } catch (error) {
      return failureOf(error);
    }
  });
}

function optimizeRequest(machine: Machine, options: OptimizeOptions): OptimizeWork['request'] {
  const { root = 0, op = 'sum', ordered = false, inPlace = false, parameters = {}, dtype = 'f32' } = options;
  const { size, solver = 'auto', chunks, fromScratch } = options;
  if (size !== undefined && bytesOf(size) <= 0)
    throw new CccError('range', `a message has more than 0 bytes, not ${size}`);
  return {
    ...{ root, op, ordered, inPlace, parameters, dtype, chunks, fromScratch },
    topology: machine.single,
    size: size === undefined ? undefined : bytesOf(size),
    solver: solver === 'none' ? undefined : solver,
    limits: { ...defaultLimits, ...options.limits },
  };
}

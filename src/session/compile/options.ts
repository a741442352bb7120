/** Options of the search for a plan; their defaults are those of `ccc compile`. */
import type { Effort } from '../../ir/effort.ts';
import { defaultLimits, type Limits } from '../../ir/limits.ts';
import type { Objective } from '../../search/comparing.ts';
import type { SolverName } from '../../solver/index.ts';
import type { JobOptions } from '../job-options.ts';

export interface CompileOptions extends JobOptions {
  /**
   * `quick` finds a good plan soon, `full` asks all engines. Default: `full`; `quick` on machines that have lost links and on more than 1,024 chips,
   * unless there is a time limit.
   */
  readonly effort?: Effort | undefined;
  /**
   * What is minimised: the time at the given size (default), the latency (time of a message of no bytes), or the time per byte of a very large
   * message.
   */
  readonly objective?: Objective | undefined;
  /** `auto` (default) or the name of an engine (`ccc list engines`). */
  readonly engine?: string | undefined;
  /** Only this schedule: a shipped one by its name, a schedule file, or a file of NCCL's rings and trees. */
  readonly algorithm?: string | undefined;
  /** Values of the parameters of schedules and engines. */
  readonly parameters?: Readonly<Record<string, number>> | undefined;
  /** Chunks per shard; default: what suits the schedule. */
  readonly chunks?: number | undefined;
  /** Number of slices (bulks) of the message, which run one after another as a pipeline; default `auto`: the fastest number. */
  readonly bulks?: number | 'auto' | undefined;
  /** Seed of randomised searches; default 0. */
  readonly seed?: number | undefined;
  /** The solver of linear programs; with `none`, plans that need one are not tried. Default `auto`. */
  readonly solver?: SolverName | 'none' | undefined;
  /** The target format that the plan is for (`ccc list emitters`), whose limits the search keeps to; default `json`, which has none. */
  readonly target?: string | undefined;
  /** Whether to evaluate all candidates in full and to report for each why it was not chosen; this takes longer. */
  readonly explain?: boolean | undefined;
  /**
   * One program that all ranks run, shifted: for machines of up to millions of chips that all see the same links. Default: where a full plan would
   * have more than 1,024 ranks, and nothing was asked for that a compact plan cannot have.
   */
  readonly compact?: boolean | undefined;
  readonly limits?: Partial<Limits> | undefined;
}

/** The limits that hold for a request: the defaults, and those that the caller raises or lowers. */
export function limitsOf({ limits }: Pick<CompileOptions, 'limits'>): Limits {
  return { ...defaultLimits, ...limits };
}

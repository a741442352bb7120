/**
 * The contract of engines. An engine proposes schedules for a problem; it neither lowers them to plans, nor proves, nor
 * chooses.
 */
import type { Collective } from '../ir/collective.ts';
import type { Effort, ShouldStop } from '../ir/effort.ts';
import type { Limits } from '../ir/limits.ts';
import type { PlanOrigin } from '../ir/plan.ts';
import type { Routes } from '../ir/routes.ts';
import type { Schedule } from '../ir/schedule.ts';
import type { Bytes, Seconds } from '../ir/units.ts';
import { refine } from '../passes/index.ts';
import type { NcclGraphs } from '../read/index.ts';
import type { LinearModel, Solver } from '../solver/index.ts';

/** What schedules are requested for: collective, machine, size and settings. */
export interface Problem {
  /** Its `chunks` is 1 until a candidate states what it needs. */
  readonly collective: Collective;
  /** The machine, with its routes; as many chips as the collective has ranks. */
  readonly routes: Routes;
  readonly size: Bytes;
  /** C, if the user gave it. */
  readonly chunks?: number | undefined;
  /** Only this algorithm: the name or alias of a schedule, or a file. */
  readonly algorithm?: string | undefined;
  /** Values of schedule parameters, by name. */
  readonly parameters: Readonly<Record<string, number>>;
  readonly limits: Limits;
  /** Rings and trees read from an NCCL graph file, for the NCCL engine; `algorithm` is then the file's name. */
  readonly ncclGraphs?: NcclGraphs | undefined;
  /** The user selected this engine by name: it then also proposes what other engines very likely do better. */
  readonly byName?: boolean | undefined;
  /** Candidates do not run in bulks, so they should cut the message as finely as suits the size. */
  readonly inOneBulk?: true | undefined;
  /** For randomised searches: the same seed gives the same schedules. */
  readonly seed: number;
  /** Effort of the search; `full` if absent. */
  readonly effort?: Effort | undefined;
  /** For engines that solve linear programs; it must be loaded before they run. */
  readonly solver?: Solver | undefined;
  /** Called with every linear program before it is solved. */
  readonly onModel?: ((model: LinearModel, name: string) => void) | undefined;
  /**
   * In a quick search, the time of the best plan so far: schedules that are certain to take as long need not be built.
   */
  readonly incumbent?: Seconds | undefined;
  /**
   * Returns true when the time limit is reached, or in a quick search the work is used up: engines then end with the
   * best so far. It may throw `WorkBudgetExceeded` to abandon an engine that ignores the answer.
   */
  readonly shouldStop?: ShouldStop | undefined;
}

/** One algorithm for the problem at hand. */
export interface Candidate {
  /** The name that reports show. */
  readonly name: string;
  readonly origin: PlanOrigin;
  /** The candidate is made for exactly this size: neither more bulks nor more chunks are tried. */
  readonly isDeepEnough?: true;
  /**
   * Builds the schedule with `multiple` times its minimum number of chunks per shard, or times the number that the user
   * gave.
   */
  build(multiple: number): Schedule;
  /** Estimated time in one bulk, if the engine knows more than a list scheduling of the steps would tell. */
  estimatedTime?(): Seconds | undefined;
}

/** A candidate for a schedule that exists already; its chunks are divided where more are requested. */
export function candidateOf(schedule: Schedule, origin: PlanOrigin, name = schedule.name): Candidate {
  return { name, origin, build: (multiple) => refine(schedule, multiple) };
}

/** An algorithm that was considered and cannot be used, with the reason. */
export interface Dismissal {
  readonly name: string;
  readonly reason: string;
}

export type Proposal =
  | { readonly kind: 'candidate'; readonly candidate: Candidate }
  | { readonly kind: 'dismissed'; readonly dismissal: Dismissal };

/** The proposal that reports an algorithm as considered and not used. */
export function dismissed(name: string, reason: string): Proposal {
  return { kind: 'dismissed', dismissal: { name, reason } };
}

export interface Engine {
  /** As given to `--engine`. */
  readonly name: string;
  /** One sentence for `ccc list engines`. */
  readonly about: string;
  /** Runs only if selected by name: it takes longer than others, which may find the same. */
  readonly onRequest?: true;
  propose(problem: Problem): Iterable<Proposal>;
  /**
   * With full effort and no incumbent to beat, it may find schedules that a quick search does not; it is then run a
   * second time.
   */
  readonly searches?: true;
  /** If selected by name, it also proposes what it otherwise withholds because it is hardly ever good. */
  readonly holdsBack?: true;
  /**
   * Estimates the best proposal without searching: which share of the lower bound it reaches, and the work until it is
   * proposed.
   */
  estimate?(problem: Problem): Partial<EngineEstimate>;
}

/** The candidates that engines propose, one after the other, without dismissals. */
export function* candidatesOf(engines: readonly Engine[], problem: Problem): Iterable<Candidate> {
  for (const engine of engines) {
    for (const proposal of engine.propose(problem)) if (proposal.kind === 'candidate') yield proposal.candidate;
  }
}

export interface EngineEstimate {
  /** Approximate ratio of the lower bound to the time of its best plan, at most 1. */
  readonly boundShare: number;
  /** In operations of a plan. */
  readonly work: number;
  /** Its proposals take no time to make: all are collected before any is evaluated. */
  readonly isImmediate?: true;
}

/**
 * Parameters of engines, as opposed to those of schedules: `trees`, the number of trees per root that the trees engine
 * packs; `steps` and `rounds` of a schedule of the exact engine.
 */
export const engineParameters: readonly string[] = ['trees', 'steps', 'rounds'];

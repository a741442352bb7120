/** What every engine implements. An engine proposes schedules for a problem; it neither lowers, proves nor chooses. */
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

/** What a schedule is wanted for. */
export interface Problem {
  /** Its `chunks` is 1 until a candidate says what it needs. */
  readonly collective: Collective;
  /** The machine, with its routes; as many chips as the collective has ranks. */
  readonly routes: Routes;
  readonly size: Bytes;
  /** C as the user asked for it. */
  readonly chunks?: number | undefined;
  /** Only this algorithm: a name, an alias or a file. */
  readonly algorithm?: string | undefined;
  /** Values for the schedules' parameters, by name. */
  readonly parameters: Readonly<Record<string, number>>;
  readonly limits: Limits;
  /** The rings and trees of a file, for the engine that has NCCL's; `algorithm` is the file then. */
  readonly ncclGraphs?: NcclGraphs | undefined;
  /** The user asked for this engine by name: then it also proposes what other engines would very likely do better. */
  readonly byName?: boolean | undefined;
  /** Candidates are not run in bulks: they are cut as finely as suits the size. */
  readonly inOneBulk?: true | undefined;
  /** For searches at random: the same seed gives the same schedules. */
  readonly seed: number;
  /** How much is done for a better plan; `full` if left out. */
  readonly effort?: Effort | undefined;
  /** For engines that solve linear models; it has to be loaded before they are asked. */
  readonly solver?: Solver | undefined;
  /** Told every model before it is solved. */
  readonly onModel?: ((model: LinearModel, name: string) => void) | undefined;
  /** In a quick search: what is sure to take as long need not be made. */
  readonly incumbent?: Seconds | undefined;
  /** True when the time is up, or in a quick search the work is done: searches end with the best so far. */
  readonly shouldStop?: ShouldStop | undefined;
}

/** One algorithm for the problem at hand. */
export interface Candidate {
  /** As reports show it. */
  readonly name: string;
  readonly origin: PlanOrigin;
  /** It is made for the size: more bulks or chunks are not looked for. */
  readonly isDeepEnough?: true;
  /** The schedule with `multiple` times as many chunks per shard as it needs, or as the user asked for. */
  build(multiple: number): Schedule;
  /** About what it takes in one bulk, where its engine knows more than steps tell that wait for each other. */
  estimatedTime?(): Seconds | undefined;
}

/** A schedule that there is already; chunks are cut finer where more are wanted. */
export function candidateOf(schedule: Schedule, origin: PlanOrigin, name = schedule.name): Candidate {
  return { name, origin, build: (multiple) => refine(schedule, multiple) };
}

/** An algorithm that was looked at and cannot be used, and why. */
export interface Dismissal {
  readonly name: string;
  readonly reason: string;
}

export type Proposal =
  | { readonly kind: 'candidate'; readonly candidate: Candidate }
  | { readonly kind: 'dismissed'; readonly dismissal: Dismissal };

/** What an engine says of an algorithm that it does not propose. */
export function dismissed(name: string, reason: string): Proposal {
  return { kind: 'dismissed', dismissal: { name, reason } };
}

export interface Engine {
  /** As given to `--engine`. */
  readonly name: string;
  /** One sentence for `ccc list engines`. */
  readonly about: string;
  /** Asked only by name: it takes longer than others, and what it finds they may find too. */
  readonly onRequest?: true;
  propose(problem: Problem): Iterable<Proposal>;
  /** Asked with full effort, and with no plan to beat, it may find what it does not quickly. */
  readonly searches?: true;
  /** Asked by name it proposes what it holds back otherwise, since that is hardly ever good. */
  readonly holdsBack?: true;
  /** What is to be expected of its best proposal, told at once: which part of the bound it reaches, and the work until it is there. */
  estimate?(problem: Problem): Partial<EngineEstimate>;
}

/** What engines propose, one after the other, without what they dismiss. */
export function* candidatesOf(engines: readonly Engine[], problem: Problem): Iterable<Candidate> {
  for (const engine of engines) {
    for (const proposal of engine.propose(problem)) if (proposal.kind === 'candidate') yield proposal.candidate;
  }
}

export interface EngineEstimate {
  /** Bound over time of the best plan, about. */
  readonly boundShare: number;
  /** In operations of a plan. */
  readonly work: number;
  /** Its proposals are made in a moment: all are heard before any is taken up. */
  readonly isImmediate?: true;
}

/**
 * Parameters that engines have, as opposed to schedules: `trees`, how many the trees engine packs for each root; `steps` and `rounds`,
 * how many of them a schedule of the exact engine has.
 */
export const engineParameters: readonly string[] = ['trees', 'steps', 'rounds'];

/** Instances of the k-synchronous scheduling problem, and answers to them. */
import type { Collective, CollectiveKind } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import type { LinearModel, Solver } from '../../solver/index.ts';
import type { MovingKind } from '../derive.ts';
import type { UnitMachine } from './machine.ts';

/** (C, S, R): chunks per shard (of the message, for broadcasts), steps, and total rounds of all steps. */
export interface InstanceShape {
  readonly chunks: number;
  readonly steps: number;
  readonly rounds: number;
}

/** A shape of a collective on a machine: a collective that moves data, or an allreduce by partial sums. */
export interface Instance extends InstanceShape {
  readonly kind: MovingKind | 'allreduce';
  /** The machine on which the schedule is searched: the transposed one for schedules that are reversed afterwards. */
  readonly machine: UnitMachine;
  /** For broadcast and scatter. */
  readonly root: number;
}

/** Builds the schedule of a solution, with `width` chunks of the collective for each chunk of the shape. */
export type ScheduleMaker = (name: string, collective: Collective, width: number) => Schedule;

/** The outcome of a search: a solution, a proof that there is none, or neither. */
export type SolverFinding<Solution> =
  | { readonly status: 'feasible'; readonly schedule: Solution; readonly method: string }
  | { readonly status: 'infeasible'; readonly proof: string }
  | { readonly status: 'unknown'; readonly reason: string };

/** The outcome for an instance. */
export type InstanceAnswer = SolverFinding<ScheduleMaker>;

/** Settings and limits of a search. */
export interface SearchControl {
  /** Seed of randomised searches; the same seed gives the same answers. */
  readonly seed: number;
  readonly shouldStop: () => boolean;
  /** Decides what neither bounds nor construction decide; without a solver such instances stay open. */
  readonly solver?: Solver | undefined;
  /** Called with every model before it is solved. */
  readonly onModel?: ((model: LinearModel, name: string) => void) | undefined;
}

/** `exact-allgather-c6-s3-r7`. */
export function scheduleName(kind: CollectiveKind, { chunks, steps, rounds }: InstanceShape): string {
  return `exact-${kind}-c${chunks}-s${steps}-r${rounds}`;
}

/** `(6, 3, 7)`. */
export function shapeName({ chunks, steps, rounds }: InstanceShape): string {
  return `(${chunks}, ${steps}, ${rounds})`;
}

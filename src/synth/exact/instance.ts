/** Instances of the k-synchronous problem, and what can be said of one. */
import type { Collective, CollectiveKind } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import type { LinearModel, Solver } from '../../solver/index.ts';
import type { MovingKind } from '../derive.ts';
import type { UnitMachine } from './machine.ts';

/** (C, S, R): the chunks of a shard (of the message, for broadcast), the steps, and the rounds of all steps together. */
export interface InstanceShape {
  readonly chunks: number;
  readonly steps: number;
  readonly rounds: number;
}

/** What is to be done on a machine in a shape: a move, or an allreduce by partial sums. */
export interface Instance extends InstanceShape {
  readonly kind: MovingKind | 'allreduce';
  /** As the move sees it: with its links turned round for moves that are reversed afterwards. */
  readonly machine: UnitMachine;
  /** Of broadcast and scatter. */
  readonly root: number;
}

/** Makes the schedule of a solution, with `width` chunks of the collective for each of the shape's. */
export type ScheduleMaker = (name: string, collective: Collective, width: number) => Schedule;

/** What was found out: what solves it, a proof that nothing does, or neither. */
export type SolverFinding<Solution> =
  | { readonly status: 'feasible'; readonly schedule: Solution; readonly method: string }
  | { readonly status: 'infeasible'; readonly proof: string }
  | { readonly status: 'unknown'; readonly reason: string };

/** Of an instance. */
export type InstanceAnswer = SolverFinding<ScheduleMaker>;

/** How a search is to be made, with what help, and when it has to end. */
export interface SearchControl {
  /** The same seed gives the same answers. */
  readonly seed: number;
  readonly shouldStop: () => boolean;
  /** For what neither bounds nor construction decide; without one that stays open. */
  readonly solver?: Solver | undefined;
  /** Told every model before it is solved. */
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

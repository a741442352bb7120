/** Instances of the k-synchronous problem, and what can be said of one. */
import type { CollectiveKind } from '../../ir/collective.ts';
import type { LinearModel, Solver } from '../../solver/index.ts';
import type { MovingKind } from '../derive.ts';
import type { Moves } from '../list/spread.ts';
import type { UnitMachine } from './machine.ts';
import type { Renumbering } from './symmetry.ts';

/** (C, S, R): the chunks of a shard (of the message, for broadcast), the steps, and the rounds of all steps together. */
export interface Shape {
  readonly chunks: number;
  readonly steps: number;
  readonly rounds: number;
}

/** What is to be done on a machine in a shape. */
export interface Instance extends Shape {
  readonly kind: CollectiveKind;
  /** As the move sees it: with its links turned round for moves that are reversed afterwards. */
  readonly machine: UnitMachine;
  /** Of broadcast and scatter. */
  readonly root: number;
}

/** One move to be made. */
export interface MoveInstance extends Instance {
  readonly kind: MovingKind;
}

/**
 * What was found out about an instance: what solves it, a proof that nothing does, or neither. Items of moves are chunks by
 * their slot: i · C + c for chunk c of shard i; for alltoall, (i · N + j) · C + c for chunk c of what rank i has for rank j.
 */
export type Answer<Solution = Moves> =
  | { readonly status: 'feasible'; readonly solution: Solution; readonly method: string }
  | { readonly status: 'infeasible'; readonly proof: string }
  | { readonly status: 'unknown'; readonly reason: string };

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

/** Ranks that have data at the start; of those that are images of each other the first. */
export function startsOf({ kind, machine, root }: Instance, symmetry: readonly Renumbering[] = []): readonly number[] {
  if (kind === 'broadcast' || kind === 'scatter') return [root];
  const ranks = Array.from({ length: machine.ranks }, (_, rank) => rank);
  return ranks.filter((rank) => symmetry.every((image) => image.ranks[rank] >= rank));
}

/** `exact-allgather-c6-s3-r7`. */
export function scheduleName(kind: CollectiveKind, { chunks, steps, rounds }: Shape): string {
  return `exact-${kind}-c${chunks}-s${steps}-r${rounds}`;
}

/** `(6, 3, 7)`. */
export function shapeName({ chunks, steps, rounds }: Shape): string {
  return `(${chunks}, ${steps}, ${rounds})`;
}

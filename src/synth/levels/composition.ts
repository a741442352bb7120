/**
 * How a collective over groups is composed: levels one after the other, each of many communicators side by side. What each moves
 * is said in units of the message, so that no level needs to know the chunks of another.
 */
import type { CollectiveKind } from '../../ir/collective.ts';

/** `groups[g][p]` is the rank at position p of group g. */
export type Groups = readonly (readonly number[])[];

/** Ranks that run a collective among themselves. */
export interface Communicator {
  readonly members: readonly number[];
  /** Index of its root among the members; 0 where the collective has none. */
  readonly root: number;
  /** The units of the message that it works on, in the order of its own data: shard s of n is the s-th n-th of them. */
  readonly units: readonly number[];
  /** Units in each member's shard, where not all have as many. */
  readonly counts?: readonly number[] | undefined;
}

/** Collectives of one kind, side by side. */
export interface Level {
  readonly where: 'within' | 'across' | 'along';
  readonly kind: CollectiveKind;
  readonly communicators: readonly Communicator[];
}

/** For which an algorithm is chosen: the message as it is, or a long one in many bulks. */
export type Aim = 'throughput' | 'size';

export interface Composition {
  /** For names of candidates: empty for the usual one. */
  readonly name: string;
  /** For which its levels' algorithms are chosen: what sends more than it must is of no use where throughput counts. */
  readonly aims: readonly Aim[];
  /** Equal parts that the message is divided into: its N shards or parts of those, or as many as there are rails, or one. */
  readonly units: number;
  readonly levels: readonly Level[];
}

/** Group and position of a rank. */
export function placeOf(rank: number, groups: Groups): readonly [group: number, position: number] {
  const group = groups.findIndex((members) => members.includes(rank));
  return [group, groups[group].indexOf(rank)];
}

/** Whether the groups have one size. */
export function areEqual(groups: Groups): boolean {
  return groups.every(({ length }) => length === groups[0].length);
}

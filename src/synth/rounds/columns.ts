/** What is moved in rounds, and the ways for it to take: the columns of the master program. */
import type { Bytes } from '../../ir/units.ts';

/** Data that takes one or several columns. */
export interface Commodity {
  /** Where it is at the start; undefined for what all ranks have a part of, which may come together anywhere. */
  readonly source: number | undefined;
  /** Ranks that want it. */
  readonly targets: readonly number[];
  readonly bytes: Bytes;
}

/** A way of a network in a round, as one number: round · (number of ways) + way. */
export type Hop = number;

/** One way for a commodity to get to all its targets. */
export interface Column {
  /** Index of the commodity. */
  readonly commodity: number;
  /** Ascending, each at most once. */
  readonly hops: readonly Hop[];
  /** Hops of rounds before this one bring parts together (allreduce); the others spread copies. */
  readonly turn: number;
}

/** Tells columns apart. */
export function columnKey({ commodity, hops, turn }: Column): string {
  return `${commodity} ${turn} ${hops.join(' ')}`;
}

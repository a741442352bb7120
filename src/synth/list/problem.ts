/** The input of a search of the list engine: a move, the machine, and limits of work. */
import type { Effort, ShouldStop } from '../../ir/effort.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import type { MovingKind } from '../derive.ts';
import type { SpreadingRoot } from '../shares.ts';
import type { RouteTable } from './route-table.ts';
import type { Moves, Spread } from './spread.ts';

/** Moves that bring all data to every rank. */
export type SpreadKind = Extract<MovingKind, 'allgather' | 'broadcast'>;

export function isSpread(kind: MovingKind): kind is SpreadKind {
  return kind === 'allgather' || kind === 'broadcast';
}

/** One search problem of the list engine: bring all data of a move to every rank. */
export interface SpreadProblem {
  readonly kind: SpreadKind;
  /** The machine; transposed (all links reversed) for moves that are reversed afterwards. */
  readonly topology: Topology;
  /** The reason why no schedule can exist on this machine, or undefined. */
  readonly unreachable: string | undefined;
  /** The arcs of the machine; computed on the first call. */
  routes(): RouteTable;
  /** M, the bytes of all items together. */
  readonly size: Bytes;
  readonly ranks: number;
  readonly root: number;
  /**
   * Whether to cut the message into few pieces, since the plan then runs in many bulks. True of broadcasts among very many ranks, and of
   * those that belong to an allreduce, or to a reduce along a line, on chips that cannot send while they reduce.
   */
  readonly inBulks: boolean;
  /** For an allgather with unequal shards: the ranks that have data, and the size of each one's shard in a common unit (shares.ts). */
  readonly shares: readonly SpreadingRoot[] | undefined;
  readonly seed: number;
  readonly effort: Effort;
  readonly shouldStop: ShouldStop;
}

/** A heuristic of the list engine for moves that bring all data to every rank. */
export interface Strategy {
  /** Appears in the names of candidates. */
  readonly name: string;
  /** The reason why the strategy is not applicable, or undefined. */
  unfit(problem: SpreadProblem): string | undefined;
  /** A lower bound in seconds from latencies alone, however the data is cut into items; 0 if computing one would take long. */
  leastLatency(problem: SpreadProblem): Seconds;
  /** The number of items per shard (or, with unequal shards, per unit of a shard) that the strategy prefers. */
  itemsPerShard(problem: SpreadProblem): number;
  /** Searches for the moves of a spread. Every rank must be reachable from the origins of the items that it wants. */
  search(spread: Spread, problem: SpreadProblem): Moves;
}

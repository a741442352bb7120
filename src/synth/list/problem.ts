/** What a search of the list engine is given: a move, the machine it is made on, and how long it may take. */
import type { Effort, ShouldStop } from '../../ir/effort.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import type { MovingKind } from '../derive.ts';
import type { SpreadingRoot } from '../shares.ts';
import type { RouteTable } from './route-table.ts';
import type { Moves, Spread } from './spread.ts';

/** Moves in which everyone gets everything that there is. */
export type SpreadKind = Extract<MovingKind, 'allgather' | 'broadcast'>;

export function isSpread(kind: MovingKind): kind is SpreadKind {
  return kind === 'allgather' || kind === 'broadcast';
}

export interface SpreadProblem {
  readonly kind: SpreadKind;
  /** The machine as the move sees it: with its links turned round for moves that are reversed afterwards. */
  readonly topology: Topology;
  /** Why no schedule can exist on it, if so. */
  readonly unreachable: string | undefined;
  /** Its ways; found when first asked for. */
  routes(): RouteTable;
  /** M, the bytes of all items together. */
  readonly size: Bytes;
  readonly ranks: number;
  readonly root: number;
  /**
   * Part of a reduction along a line, or of one and its way back, on chips that cannot send while they reduce, or among very many ranks: few
   * pieces, which then run in many bulks.
   */
  readonly inBulks: boolean;
  /** Where an allgather has shards of different sizes: the ranks with data, and how much they have. */
  readonly shares: readonly SpreadingRoot[] | undefined;
  readonly seed: number;
  readonly effort: Effort;
  readonly shouldStop: ShouldStop;
}

/** One way to search. */
export interface Strategy {
  /** For the names of candidates. */
  readonly name: string;
  /** Why it is of no use here, or undefined. */
  unfit(problem: SpreadProblem): string | undefined;
  /** What a move takes at least by its latencies alone, whatever items it is cut into; 0 where that is not known in a moment. */
  leastLatency(problem: SpreadProblem): Seconds;
  /** Items that a shard, or each unit of shards that differ, is best cut into. */
  itemsPerShard(problem: SpreadProblem): number;
  /** The moves of a spread in which every rank can be reached. */
  search(spread: Spread, problem: SpreadProblem): Moves;
}

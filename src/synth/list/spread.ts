/**
 * The spreading problem: items that start at one rank each (or at several) and that every rank needs. An item stands for some neighbouring
 * chunks and lies at the same place in the `data` buffer of every rank.
 */
import type { Collective } from '../../ir/collective.ts';
import { IntColumn } from '../../ir/column.ts';
import { type Schedule, StepsBuilder, scheduleBuffers } from '../../ir/schedule.ts';
import type { Seconds } from '../../ir/units.ts';
import { equalShares, type SpreadingRoot } from '../shares.ts';
import { evenPlaces, type Places } from './places.ts';

const data = scheduleBuffers.indexOf('data');

/** Items, and which ranks need them. */
export interface Spread {
  readonly ranks: number;
  /** `origin[i]`: the rank that has item i at the start; the first of them if several have it. */
  readonly origin: Int32Array;
  /** Present if several ranks start with the same item, or if ranks need only the items of their own set of ranks. */
  readonly cells?: Cells;
}

/** Sets of ranks that start with the same item, grouped into larger sets; each rank needs all items of its larger set. */
export interface Cells {
  /** `item[r]`: the item that rank r has at the start. */
  readonly item: Int32Array;
  /** `within[r]`: the number of the larger set of rank r. */
  readonly within: Int32Array;
}

/** The initial state as pairs of a rank and an item that it has. */
export function startOf({ origin, cells }: Spread): readonly (readonly [rank: number, item: number])[] {
  if (cells === undefined) return Array.from(origin, (rank, item) => [rank, item]);
  return Array.from(cells.item, (item, rank) => [rank, item]);
}

/** Whether a rank needs an item (true as well if it has it already). */
export function isWanted({ origin, cells }: Spread, rank: number, item: number): boolean {
  return cells === undefined || cells.within[rank] === cells.within[origin[item]];
}

interface Spreading {
  readonly kind: 'allgather' | 'broadcast';
  readonly ranks: number;
  readonly root: number;
  /** For an allgather with unequal shards: the ranks that have data, ascending, and the size of each one's shard in a common unit (shares.ts). */
  readonly shares?: readonly SpreadingRoot[] | undefined;
}

/**
 * The spreading problem of an allgather or a broadcast.
 * @param itemsPerShard items per shard; per unit of a shard if shards are unequal
 */
export function spreadOf({ kind, ranks, root, shares }: Spreading, itemsPerShard: number): Spread {
  const all = Array.from({ length: ranks }, (_, rank) => rank);
  const roots = shares ?? equalShares(kind === 'allgather' ? all : [root]);
  const origin = new Int32Array(roots.reduce((sum, { share }) => sum + share * itemsPerShard, 0));
  let next = 0;
  for (const { rank, share } of roots) {
    origin.fill(rank, next, next + share * itemsPerShard);
    next += share * itemsPerShard;
  }
  return { ranks, origin };
}

/**
 * Moves of items between ranks, step by step, in columns (one row per item moved). Consecutive rows with the same two ranks form one
 * message. A step may be empty.
 */
export class Moves {
  readonly from = new IntColumn();
  readonly to = new IntColumn();
  readonly item = new IntColumn();
  /** By completed step: its first row, and the number of rounds that the schedule claims for it (0 if none). */
  readonly stepStart = new IntColumn();
  readonly rounds = new IntColumn();
  /** The time of the moves if steps do not wait for each other, in seconds; undefined if the search did not compute it. */
  readonly seconds: Seconds | undefined;
  private openStart = 0;

  constructor(seconds?: Seconds) {
    this.seconds = seconds;
  }

  get length(): number {
    return this.item.length;
  }

  get steps(): number {
    return this.rounds.length;
  }

  add(from: number, to: number, item: number): void {
    this.from.push(from);
    this.to.push(to);
    this.item.push(item);
  }

  endStep(rounds = 0): void {
    this.stepStart.push(this.openStart);
    this.rounds.push(rounds);
    this.openStart = this.length;
  }
}

/** The sum of the times of moves that run one after the other; undefined if one of them is unknown. */
export function secondsInTurn(parts: readonly Moves[]): Seconds | undefined {
  return parts.reduce<Seconds | undefined>((sum, { seconds }) => {
    return sum === undefined || seconds === undefined ? undefined : sum + seconds;
  }, 0);
}

/** The schedule that makes the moves; item i is the `chunksPerItem` chunks from i · `chunksPerItem` on. */
export function spreadSchedule(moves: Moves, name: string, collective: Collective, chunksPerItem: number): Schedule {
  return placedSchedule(moves, name, collective, evenPlaces(chunksPerItem), chunksPerItem);
}

/**
 * The schedule that makes the moves in the `data` buffer.
 * @param chunksPerRound chunks that a unit link carries in one round, for moves that claim rounds; 0 to claim none
 */
export function placedSchedule(
  moves: Moves,
  name: string,
  collective: Collective,
  places: Places,
  chunksPerRound: number,
): Schedule {
  const builder = new StepsBuilder();
  const [from, to, item] = [moves.from.view(), moves.to.view(), moves.item.view()];
  for (let step = 0; step < moves.steps; step++) {
    const end = step + 1 < moves.steps ? moves.stepStart.at(step + 1) : moves.length;
    for (let row = moves.stepStart.at(step); row < end; ) {
      const first = row;
      do row++;
      while (row < end && from[row] === from[first] && to[row] === to[first]);
      addMessage(builder, from[first], to[first], item.subarray(first, row), places);
    }
    builder.endStep(moves.rounds.at(step) * chunksPerRound);
  }
  return { name, collective, scratch: 0, commutative: false, ring: false, steps: builder.build() };
}

/** Adds the items of one message; adjacent items become one piece. Items without chunks, which exist if C is small, are left out. */
function addMessage(builder: StepsBuilder, from: number, to: number, items: Int32Array, places: Places): void {
  let isEmpty = true;
  for (let i = 0; i < items.length; ) {
    const offset = places.first(items[i]);
    let end = places.end(items[i++]);
    while (i < items.length && places.first(items[i]) === end) end = places.end(items[i++]);
    if (end === offset) continue;
    if (isEmpty) builder.startMove(from, to);
    isEmpty = false;
    builder.addPiece(data, offset, data, offset, end - offset);
  }
}

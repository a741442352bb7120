/**
 * What the list engine searches for: items that start at one rank each and that every rank wants. An item is some neighbouring
 * chunks; it lies in the same slots of the `data` buffer everywhere.
 */
import type { Collective } from '../../ir/collective.ts';
import { IntColumn } from '../../ir/column.ts';
import { type Schedule, StepsBuilder, scheduleBuffers } from '../../ir/schedule.ts';
import type { Seconds } from '../../ir/units.ts';
import { equalShares, type SpreadingRoot } from '../shares.ts';
import { evenPlaces, type Places } from './places.ts';

const data = scheduleBuffers.indexOf('data');

/** Items that everyone wants. */
export interface Spread {
  readonly ranks: number;
  /** `origin[i]`: the rank that has item i at the start, the first of them where several have it. */
  readonly origin: Int32Array;
  /** Where ranks start together, or want only what others of theirs have. */
  readonly cells?: Cells;
}

/** Sets of ranks that have the same, in larger sets of ranks that want what all of them have. */
export interface Cells {
  /** `item[r]`: what rank r has at the start. */
  readonly item: Int32Array;
  /** `within[r]`: the larger set of rank r. */
  readonly within: Int32Array;
}

/** Who has what at the start: ranks and items. */
export function startOf({ origin, cells }: Spread): readonly (readonly [rank: number, item: number])[] {
  if (cells === undefined) return Array.from(origin, (rank, item) => [rank, item]);
  return Array.from(cells.item, (item, rank) => [rank, item]);
}

/** Whether a rank wants an item, unless it has it. */
export function isWanted({ origin, cells }: Spread, rank: number, item: number): boolean {
  return cells === undefined || cells.within[rank] === cells.within[origin[item]];
}

interface Spreading {
  readonly kind: 'allgather' | 'broadcast';
  readonly ranks: number;
  readonly root: number;
  /** Where an allgather has shards of different sizes: the ranks with data, ascending, and how much they have. */
  readonly shares?: readonly SpreadingRoot[] | undefined;
}

/** The items of an allgather or a broadcast with this many of them in each shard, or in each unit of shards that differ. */
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
 * Items going from rank to rank, step by step, in columns. Neighbouring rows with the same ranks are one message, so the rows
 * of a message must stand together; a step may be left empty.
 */
export class Moves {
  readonly from = new IntColumn();
  readonly to = new IntColumn();
  readonly item = new IntColumn();
  /** The first row of each step that has been ended, and its rounds where the schedule claims them. */
  readonly stepStart = new IntColumn();
  readonly rounds = new IntColumn();
  /** How long they take where steps do not wait for each other, if that was found. */
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

/** How long moves take one after the other; undefined where that of one is not known. */
export function secondsInTurn(parts: readonly Moves[]): Seconds | undefined {
  return parts.reduce<Seconds | undefined>((sum, { seconds }) => {
    return sum === undefined || seconds === undefined ? undefined : sum + seconds;
  }, 0);
}

/** The schedule that makes the moves; item i is so many chunks from slot i · `chunksPerItem` on. */
export function spreadSchedule(moves: Moves, name: string, collective: Collective, chunksPerItem: number): Schedule {
  return placedSchedule(moves, name, collective, evenPlaces(chunksPerItem), chunksPerItem);
}

/**
 * The schedule that makes the moves in the `data` buffer.
 *
 * @param chunksPerRound what a unit link carries in a round, for moves that claim rounds; 0 to claim nothing
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

/** The items of one message, neighbours as one piece; items of no chunks, of which there are some when C is small, are none. */
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

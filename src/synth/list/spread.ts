/**
 * What the list engine searches for: items that start at one rank each and that every rank wants. An item is C chunks or
 * one; it lies in the same slots of the `data` buffer everywhere, item i at i · (chunks per item).
 */
import type { Collective } from '../../ir/collective.ts';
import { IntColumn } from '../../ir/column.ts';
import { type Piece, type Schedule, type ScheduleBuffer, StepsBuilder } from '../../ir/schedule.ts';

/** Items that everyone wants. */
export interface Spread {
  readonly ranks: number;
  /** `origin[i]`: the rank that has item i at the start. */
  readonly origin: Int32Array;
}

interface SpreadKindAndRanks {
  readonly kind: 'allgather' | 'broadcast';
  readonly ranks: number;
  readonly root: number;
}

/** The items of an allgather or a broadcast with this many of them in each shard. */
export function spreadOf({ kind, ranks, root }: SpreadKindAndRanks, itemsPerShard: number): Spread {
  const origin =
    kind === 'allgather'
      ? Int32Array.from({ length: ranks * itemsPerShard }, (_, item) => Math.floor(item / itemsPerShard))
      : new Int32Array(itemsPerShard).fill(root);
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
  /** The first row of each step that has been ended, and its rounds. */
  readonly stepStart = new IntColumn();
  readonly rounds = new IntColumn();
  /** Whether the schedule claims the rounds of its steps. */
  readonly claimed: boolean;
  private openStart = 0;

  constructor(claimed = false) {
    this.claimed = claimed;
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

/** The schedule that makes the moves in the `data` buffer; an item is `chunksPerItem` neighbouring chunks. */
export function scheduleOf(moves: Moves, name: string, collective: Collective, chunksPerItem: number): Schedule {
  const builder = new StepsBuilder();
  addMoves(builder, moves, 'data', chunksPerItem);
  return { name, collective, scratch: 0, commutative: false, ring: false, steps: builder.build() };
}

/** Adds the moves as steps in which items go from a buffer of one rank to the same place in that of another. */
export function addMoves(builder: StepsBuilder, moves: Moves, buffer: ScheduleBuffer, chunksPerItem: number): void {
  const plain = { kind: 'copy', channel: 0, order: 'held-first', origin: undefined } as const;
  const item = moves.item.view();
  for (let step = 0; step < moves.steps; step++) {
    const end = step + 1 < moves.steps ? moves.stepStart.at(step + 1) : moves.length;
    for (let row = moves.stepStart.at(step); row < end; ) {
      const first = row;
      const source = moves.from.at(row);
      const destination = moves.to.at(row);
      while (row < end && moves.from.at(row) === source && moves.to.at(row) === destination) row++;
      builder.add({
        ...plain,
        source,
        destination,
        pieces: piecesOf(item.subarray(first, row), buffer, chunksPerItem),
      });
    }
    builder.endStep(moves.claimed ? moves.rounds.at(step) * chunksPerItem : 0);
  }
}

/** The items of one message, neighbours as one piece. */
function piecesOf(items: Int32Array, buffer: ScheduleBuffer, chunksPerItem: number): Piece[] {
  const pieces: Piece[] = [];
  for (let i = 0; i < items.length; ) {
    const first = i++;
    while (i < items.length && items[i] === items[i - 1] + 1) i++;
    const offset = items[first] * chunksPerItem;
    const count = (i - first) * chunksPerItem;
    pieces.push({ from: buffer, fromOffset: offset, to: buffer, toOffset: offset, count });
  }
  return pieces;
}

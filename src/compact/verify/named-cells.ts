/**
 * The names of the values in a rank's cells while its program runs. Names are stored in a list. Cells that were written together form a run, which
 * refers to a range of the list and to the shift from the rank whose names are stored there. So a message of many chunks is passed on in constant
 * time, by a range and a shift: in an alltoall of a million ranks, every rank sends half a billion chunks.
 */
import { none } from '../../ir/none.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { CellBits } from '../../verify/cell-bits.ts';
import { Translations } from './translations.ts';

/** A range of the list of names, as seen from a shifted rank. */
interface Piece {
  /** Index of the first name in the list. */
  readonly at: number;
  /** Offset from the rank whose view the names are stored in to the rank whose cells hold the values. */
  readonly shift: number;
  readonly count: number;
}

/** Names are numbers, rank · `ids` + id, with the rank relative to the rank that holds the value. At first all cells hold `nothing`. */
export class NamedCells {
  private readonly cells: number;
  private readonly ids: number;
  private readonly group: TranslationGroup;
  private readonly translations: Translations;
  /** The first cells of all runs, and the end of the last run. */
  private readonly starts: CellBits;
  /** By first cell of a run: where its names are in the list, and their shift. */
  private readonly at: Int32Array;
  private readonly shift: Int32Array;
  /** The names; 64-bit floats, since names exceed 32 bits but stay far below 2⁵³. */
  private list: Float64Array;
  private used: number;
  /** Messages in flight, by the operation that sent them. */
  private readonly sent = new Map<number, Piece>();

  constructor(cells: number, ids: number, group: TranslationGroup) {
    this.cells = cells;
    this.ids = ids;
    this.group = group;
    this.translations = new Translations(group);
    this.starts = new CellBits(cells + 1);
    this.at = new Int32Array(cells);
    this.shift = new Int32Array(cells);
    this.list = new Float64Array(2 * cells).fill(none);
    this.used = cells;
    this.starts.add(0);
    this.starts.add(cells);
  }

  /** Returns the names in consecutive cells. */
  names(first: number, count: number): Float64Array {
    const names = new Float64Array(count);
    this.gather(first, count, names, 0);
    return names;
  }

  /** Writes consecutive names, starting from `name`. */
  count(first: number, count: number, name: number): void {
    const at = this.reserve(count);
    for (let i = 0; i < count; i++) this.list[at + i] = name + i;
    this.write(first, { at, shift: 0, count });
  }

  copy(source: number, target: number, count: number): void {
    this.write(target, this.piece(source, count));
  }

  send(operation: number, first: number, count: number): void {
    this.sent.set(operation, this.piece(first, count));
  }

  /** Receives the message of an operation, sent by the rank at an offset, into the cells from `first` on. */
  receive(operation: number, offset: number, first: number): void {
    this.write(first, this.taken(operation, offset));
  }

  /** Returns the names in the message of an operation, sent by the rank at an offset. */
  namesFrom(operation: number, offset: number): Float64Array {
    const piece = this.taken(operation, offset);
    const names = new Float64Array(piece.count);
    this.spell(piece, names, 0);
    return names;
  }

  private taken(operation: number, offset: number): Piece {
    const piece = this.sent.get(operation);
    if (piece === undefined) throw new Error('a message is received that is not under way');
    this.sent.delete(operation);
    return { ...piece, shift: this.group.add(piece.shift, offset) };
  }

  private write(first: number, { at, shift, count }: Piece): void {
    if (count === 0) return;
    this.split(first);
    this.split(first + count);
    this.starts.removeRange(first + 1, first + count);
    this.at[first] = at;
    this.shift[first] = shift;
  }

  /** Makes a cell the first of a run. */
  private split(cell: number): void {
    if (this.starts.has(cell)) return;
    const start = this.starts.lastUpTo(cell);
    this.starts.add(cell);
    this.at[cell] = this.at[start] + cell - start;
    this.shift[cell] = this.shift[start];
  }

  /** Returns the names in consecutive cells as one range; the names of several runs are first copied to one place in the list. */
  private piece(first: number, count: number): Piece {
    if (count > 0) {
      // Without this split, a long run would be searched for again from each of its cells.
      this.split(first);
      this.split(first + count);
      if (this.starts.firstFrom(first + 1) === first + count)
        return { at: this.at[first], shift: this.shift[first], count };
    }
    const at = this.reserve(count);
    this.gather(first, count, this.list, at);
    return { at, shift: 0, count };
  }

  /** Copies the names in consecutive cells into a list. */
  private gather(first: number, count: number, list: Float64Array, to: number): void {
    for (let cell = first; cell < first + count; ) {
      const start = this.starts.lastUpTo(cell);
      const end = Math.min(this.starts.firstFrom(cell + 1), first + count);
      const piece = { at: this.at[start] + cell - start, shift: this.shift[start], count: end - cell };
      this.spell(piece, list, to + cell - first);
      cell = end;
    }
  }

  /** Copies names into a list, translated to the view of the rank that holds the values now. */
  private spell({ at, shift, count }: Piece, list: Float64Array, to: number): void {
    const { ids } = this;
    const translate = this.translations.by(shift);
    for (let i = 0; i < count; i++) {
      const name = this.list[at + i];
      const rank = Math.floor(name / ids);
      list[to + i] = shift === 0 || name === none ? name : translate(rank) * ids + (name - rank * ids);
    }
  }

  /** Reserves entries in the list. If it is full, the ranges that are still in use move to a new list. */
  private reserve(count: number): number {
    if (this.used + count > this.list.length) this.moveTo(count);
    const at = this.used;
    this.used += count;
    return at;
  }

  private moveTo(more: number): void {
    const { cells, sent } = this;
    const underWay = [...sent.values()].reduce((sum, { count }) => sum + count, 0);
    const list = new Float64Array(2 * (cells + underWay + more));
    this.gather(0, cells, list, 0);
    let used = cells;
    for (const [operation, { at, shift, count }] of sent) {
      list.set(this.list.subarray(at, at + count), used);
      sent.set(operation, { at: used, shift, count });
      used += count;
    }
    this.list = list;
    this.used = used;
    this.starts.removeRange(1, cells);
    this.at[0] = 0;
    this.shift[0] = 0;
  }
}

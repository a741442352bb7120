/**
 * The names of what stands in the cells of a rank while its program runs. They are in a list, and cells that were written together are a run: their
 * names follow each other there, as some other rank saw them, from which the run has been shifted. So a message of many chunks is passed on by
 * its place and its shift alone: in an alltoall of a million ranks each sends half a billion chunks.
 */
import { none } from '../../ir/none.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { CellBits } from '../../verify/cell-bits.ts';
import { Translations } from './translations.ts';

/** Names that follow each other. */
interface Piece {
  /** Where they begin in the list. */
  readonly at: number;
  /** What takes the rank that sees them so to the one whose cells they are in. */
  readonly shift: number;
  readonly count: number;
}

/** Names are numbers, rank · `ids` + id, the rank as seen from the one that holds the value; at first all are `nothing`. */
export class NamedCells {
  private readonly cells: number;
  private readonly ids: number;
  private readonly group: TranslationGroup;
  private readonly translations: Translations;
  /** Where runs of cells begin, and the end of the last. */
  private readonly starts: CellBits;
  /** By the cell at which a run begins: where its names are, and their shift. */
  private readonly at: Int32Array;
  private readonly shift: Int32Array;
  /** Numbers beyond 32 bits, far from 53. */
  private list: Float64Array;
  private used: number;
  /** Messages that have been sent and not received, by the operation that sent them. */
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

  /** The names in some cells. */
  names(first: number, count: number): Float64Array {
    const names = new Float64Array(count);
    this.gather(first, count, names, 0);
    return names;
  }

  /** Writes names that count up from one on. */
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

  /** Writes what an operation has sent, which came from a rank at an offset. */
  receive(operation: number, offset: number, first: number): void {
    this.write(first, this.taken(operation, offset));
  }

  /** The names that an operation has sent, from a rank at an offset. */
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

  /** Lets a run begin at a cell. */
  private split(cell: number): void {
    if (this.starts.has(cell)) return;
    const start = this.starts.lastUpTo(cell);
    this.starts.add(cell);
    this.at[cell] = this.at[start] + cell - start;
    this.shift[cell] = this.shift[start];
  }

  /** The names in some cells; those of several runs are put together in the list. */
  private piece(first: number, count: number): Piece {
    if (count > 0) {
      // Else it would be looked for again from every other cell of a long run.
      this.split(first);
      this.split(first + count);
      if (this.starts.firstFrom(first + 1) === first + count)
        return { at: this.at[first], shift: this.shift[first], count };
    }
    const at = this.reserve(count);
    this.gather(first, count, this.list, at);
    return { at, shift: 0, count };
  }

  /** Writes the names in some cells into a list. */
  private gather(first: number, count: number, list: Float64Array, to: number): void {
    for (let cell = first; cell < first + count; ) {
      const start = this.starts.lastUpTo(cell);
      const end = Math.min(this.starts.firstFrom(cell + 1), first + count);
      const piece = { at: this.at[start] + cell - start, shift: this.shift[start], count: end - cell };
      this.spell(piece, list, to + cell - first);
      cell = end;
    }
  }

  /** Writes names into a list as the rank sees them that has them now. */
  private spell({ at, shift, count }: Piece, list: Float64Array, to: number): void {
    const { ids } = this;
    const translate = this.translations.by(shift);
    for (let i = 0; i < count; i++) {
      const name = this.list[at + i];
      const rank = Math.floor(name / ids);
      list[to + i] = shift === 0 || name === none ? name : translate(rank) * ids + (name - rank * ids);
    }
  }

  /** Room for so many names in the list; where there is none, what is still needed moves to a new one. */
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

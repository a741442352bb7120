/**
 * Which rank has which item during a search, and which items are on their way to it. Stored as bit sets: one row per rank, one bit per
 * item, in words of 32 items.
 */
import { isWanted, type Spread, startOf } from './spread.ts';

/** The number of bits that are set in a word (Warren, "Hacker's Delight", 2nd ed., 5–1). */
export function bitCount(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The index of the lowest bit that is set; not defined for 0. */
export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

/** The state of one attempt. */
export class Holdings {
  /** Number of 32-bit words per row. */
  readonly words: number;
  /** The items that each rank has, row by row. */
  readonly has: Uint32Array;
  /** The items that each rank has, that are on their way to it, or that it does not want, row by row: nobody needs to send it these. */
  readonly gets: Uint32Array;
  /** `holders[item]`: the number of ranks that have the item or are about to receive it. */
  readonly holders: Int32Array;
  /** By rank: the number of items that it wants and that are not on their way to it; `missing` is the sum over all ranks. */
  readonly lacking: Int32Array;
  missing: number;

  constructor(spread: Spread) {
    const { ranks, origin, cells } = spread;
    this.words = (origin.length + 31) >> 5;
    this.has = new Uint32Array(ranks * this.words);
    this.gets = new Uint32Array(ranks * this.words);
    this.holders = new Int32Array(origin.length);
    this.lacking = new Int32Array(ranks).fill(origin.length);
    this.missing = ranks * origin.length;
    for (const [rank, item] of startOf(spread)) {
      this.promise(rank, item);
      this.arrive(rank, item);
    }
    if (cells === undefined) return;
    for (let rank = 0; rank < ranks; rank++) {
      for (let item = 0; item < origin.length; item++) if (!isWanted(spread, rank, item)) this.forgo(rank, item);
    }
  }

  /** Marks an item that a rank does not want, so that no message carries it there. */
  private forgo(rank: number, item: number): void {
    this.promise(rank, item);
    this.holders[item]--;
  }

  /** Records that a message with the item is on its way to the rank. */
  promise(rank: number, item: number): void {
    this.gets[rank * this.words + (item >> 5)] |= 1 << (item & 31);
    this.holders[item]++;
    this.lacking[rank]--;
    this.missing--;
  }

  arrive(rank: number, item: number): void {
    this.has[rank * this.words + (item >> 5)] |= 1 << (item & 31);
  }

  /** The number of items that the sender has and the receiver still lacks. */
  useful(from: number, to: number): number {
    const { words, has, gets } = this;
    let count = 0;
    for (let word = 0; word < words; word++) count += bitCount(has[from * words + word] & ~gets[to * words + word]);
    return count;
  }

  /** The items that the sender has and the receiver still lacks, ascending. */
  usefulItems(from: number, to: number): number[] {
    const { words, has, gets } = this;
    const found: number[] = [];
    for (let word = 0; word < words; word++) {
      for (let rest = has[from * words + word] & ~gets[to * words + word]; rest !== 0; rest &= rest - 1) {
        found.push(32 * word + lowestBit(rest));
      }
    }
    return found;
  }

  /** The same items within one word of 32 items, as bits. */
  usefulWord(from: number, to: number, word: number): number {
    return this.has[from * this.words + word] & ~this.gets[to * this.words + word];
  }

  /** Whether a rank has an item. */
  isHeld(rank: number, item: number): boolean {
    return (this.has[rank * this.words + (item >> 5)] & (1 << (item & 31))) !== 0;
  }
}

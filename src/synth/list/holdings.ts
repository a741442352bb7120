/** Who has what in the course of a search for moves, and who is about to get it; one bit for each rank and item, in words of 32. */
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

export class Holdings {
  /** Words of 32 items in the row of a rank. */
  readonly words: number;
  /** What ranks have, row by row. */
  readonly has: Uint32Array;
  /** The same, with what is on its way to them. */
  readonly gets: Uint32Array;
  /** `holders[item]`: ranks that have it or are about to. */
  readonly holders: Int32Array;
  /** By rank: items that it neither has nor is about to get; and all of them together. */
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

  /** Nobody brings an item to a rank that does not want it. */
  private forgo(rank: number, item: number): void {
    this.promise(rank, item);
    this.holders[item]--;
  }

  /** An item is on its way to a rank. */
  promise(rank: number, item: number): void {
    this.gets[rank * this.words + (item >> 5)] |= 1 << (item & 31);
    this.holders[item]++;
    this.lacking[rank]--;
    this.missing--;
  }

  arrive(rank: number, item: number): void {
    this.has[rank * this.words + (item >> 5)] |= 1 << (item & 31);
  }

  /** How many items a sender has that a receiver neither has nor is about to get. */
  useful(from: number, to: number): number {
    const { words, has, gets } = this;
    let count = 0;
    for (let word = 0; word < words; word++) count += bitCount(has[from * words + word] & ~gets[to * words + word]);
    return count;
  }

  /** These items, ascending. */
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

  /** Those of them in a word of 32 items, one bit each. */
  usefulWord(from: number, to: number, word: number): number {
    return this.has[from * this.words + word] & ~this.gets[to * this.words + word];
  }

  /** Whether a rank has an item. */
  isHeld(rank: number, item: number): boolean {
    return (this.has[rank * this.words + (item >> 5)] & (1 << (item & 31))) !== 0;
  }
}

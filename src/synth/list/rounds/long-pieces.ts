/**
 * Items that lie side by side are one piece of a message, and messages of several pieces have to be packed and unpacked. So that pieces
 * stay long from rank to rank, they are cut at multiples of a power of two only: what came as one piece is passed on as one.
 */
import type { Random } from '../../../ir/random.ts';
import { highestBit, lowestBit, runLength, wholeBlocks } from '../bits.ts';
import type { Holdings } from './holdings.ts';

/** Blocks lie within words of 32 items. */
const longestBlock = 32;
/** Whole blocks that are compared before one is taken. */
const comparedBlocks = 4;

/** Finds one piece at a time. */
export class LongPieces {
  /** The piece that was found last: its first item, and how many there are. */
  first = 0;
  count = 0;
  private readonly holdings: Holdings;
  private readonly random: Random;

  constructor(holdings: Holdings, random: Random) {
    this.holdings = holdings;
    this.random = random;
  }

  /**
   * Finds up to `most` items side by side that one rank has, and another neither has nor is brought: a whole block of 2ˢ, as large as may be, or
   * else the longest part of one. Of several that leave the fewest gaps go first, then the rarest.
   *
   * @param brought what the receiver is brought already, as a row of bits
   * @returns false if there is nothing
   */
  find(source: number, receiver: number, brought: Uint32Array, most: number): boolean {
    const { words, bits } = this.holdings;
    const s = highestBit(Math.min(most, longestBlock));
    const block = 1 << s;
    const firstWord = words === 1 ? 0 : this.random.below(words);
    let best = 0;
    let blocks = 0;
    this.count = 0;
    for (let w = 0; w < words && blocks < comparedBlocks; w++) {
      const word = firstWord + w < words ? firstWord + w : firstWord + w - words;
      const held = bits[receiver * words + word] | brought[word];
      const free = bits[source * words + word] & ~held;
      if (free === 0) continue;
      const whole = wholeBlocks(free, s);
      if (whole === 0 && blocks > 0) continue;
      for (let rest = whole === 0 ? free : whole; rest !== 0; ) {
        const start = lowestBit(rest);
        const count = whole === 0 ? Math.min(runLength(free, start), block - (start & (block - 1))) : block;
        rest &= whole === 0 ? -2 << (start + count - 1) : rest - 1;
        if (whole !== 0) blocks++;
        const worth = this.worth(32 * word + start, count, receiver, brought);
        if (count < this.count || (count === this.count && worth <= best)) continue;
        this.first = 32 * word + start;
        this.count = count;
        best = worth;
      }
    }
    return this.count > 0;
  }

  /** Of pieces of one length, those with the greatest worth go first. */
  private worth(first: number, count: number, receiver: number, brought: Uint32Array): number {
    const { holders } = this.holdings;
    const joined = this.isHeld(first - 1, receiver, brought) + this.isHeld(first + count, receiver, brought);
    return joined * holders.length * 2 - holders[first] - this.random.next() / 2 ** 32;
  }

  /** 1 if the receiver has an item or is brought it, or if there is none; else 0. */
  private isHeld(item: number, receiver: number, brought: Uint32Array): number {
    const { words, bits, holders } = this.holdings;
    if (item < 0 || item >= holders.length) return 1;
    const word = item >> 5;
    return ((bits[receiver * words + word] | brought[word]) >>> (item & 31)) & 1;
  }
}

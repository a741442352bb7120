/**
 * For each arc, the items that a message over it could deliver: those that its sender has, and that its receiver neither has nor is about
 * to get.
 *
 * Counts and indices are kept up to date while items start and arrive. Counting the items anew for every message would make the search
 * quadratic in their number.
 */
import { type Holdings, lowestBit } from '../holdings.ts';
import type { RouteTable } from '../route-table.ts';
import { type Spread, startOf } from '../spread.ts';

/** The index of deliverable items of one attempt. */
export class UsefulItems {
  private readonly holdings: Holdings;
  private readonly ways: RouteTable;
  /** By arc: how many items it could deliver. */
  readonly count: Int32Array;
  /** By rank: how many items it neither has nor is about to get while at least one of its neighbours has them. */
  readonly withinReach: Int32Array;
  /** By rank and item, one bit each in words of 32 items: whether at least one neighbour has the item. */
  private readonly offered: Uint32Array;
  /** By arc: one bit for each word of 32 items, set where the arc could deliver one of them, so that empty words are skipped 32 at a time. */
  private readonly summary: Uint32Array;
  private readonly summaryWords: number;

  /** @param holdings what ranks have at the start; later changes are reported to `started` and `arrived` */
  constructor(holdings: Holdings, spread: Spread, ways: RouteTable) {
    this.holdings = holdings;
    this.ways = ways;
    this.count = new Int32Array(ways.arcs.length);
    this.withinReach = new Int32Array(spread.ranks);
    this.offered = new Uint32Array(holdings.gets.length);
    this.summaryWords = (holdings.words + 31) >> 5;
    this.summary = new Uint32Array(ways.arcs.length * this.summaryWords);
    for (const [rank, item] of startOf(spread)) this.arrived(rank, item);
  }

  /** An item is on its way to a rank: nobody else brings it there. Call it once the holdings know of it. */
  started(rank: number, item: number): void {
    const { ways, holdings, count } = this;
    this.withinReach[rank]--;
    for (let at = ways.firstInto[rank]; at < ways.firstInto[rank + 1]; at++) {
      const way = ways.into[at];
      const from = ways.from[way];
      if (!holdings.isHeld(from, item)) continue;
      count[way]--;
      const word = item >> 5;
      if (holdings.usefulWord(from, rank, word) === 0) {
        this.summary[way * this.summaryWords + (word >> 5)] &= ~(1 << (word & 31));
      }
    }
  }

  /** A rank has an item and can pass it on. Call it once the holdings know of it. */
  arrived(rank: number, item: number): void {
    const { ways, holdings, offered, count } = this;
    const word = item >> 5;
    const bit = 1 << (item & 31);
    for (let way = ways.firstOut[rank]; way < ways.firstOut[rank + 1]; way++) {
      const to = ways.to[way];
      const place = to * holdings.words + word;
      const isLacking = (holdings.gets[place] & bit) === 0;
      if (isLacking) {
        count[way]++;
        this.summary[way * this.summaryWords + (word >> 5)] |= 1 << (word & 31);
        if ((offered[place] & bit) === 0) this.withinReach[to]++;
      }
      offered[place] |= bit;
    }
  }

  /** The lowest-numbered items that an arc could deliver, ascending, at most `most` of them. */
  first(way: number, most: number): number[] {
    const { ways, holdings, summary, summaryWords } = this;
    const [from, to, start] = [ways.from[way], ways.to[way], way * summaryWords];
    const found: number[] = [];
    for (let at = 0; at < summaryWords; at++) {
      for (let words = summary[start + at]; words !== 0; words &= words - 1) {
        const word = 32 * at + lowestBit(words);
        for (let rest = holdings.usefulWord(from, to, word); rest !== 0; rest &= rest - 1) {
          if (found.length === most) return found;
          found.push(32 * word + lowestBit(rest));
        }
      }
    }
    return found;
  }
}

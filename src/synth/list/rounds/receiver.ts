/**
 * What one rank receives in one step: as many items as its links can bring, each once. First come those that fewest other neighbours have or get
 * (they can be brought later, over the links from there), of these the rarest. Links and the items they could bring make a bipartite graph; a maximum
 * b-matching is found by augmenting paths (Kuhn 1955), round by round.
 */
import { none } from '../../../ir/none.ts';
import type { Random } from '../../../ir/random.ts';
import { type Holdings, lowestBit } from '../holdings.ts';
import { limits } from '../limits.ts';
import type { Moves } from '../spread.ts';
import type { UnitLinks } from './unit-links.ts';

/** The matching for one receiver at a time; its arrays serve all of them. */
export class Receiver {
  private readonly links: UnitLinks;
  private readonly holdings: Holdings;
  private readonly random: Random;
  /** `takenBy[item]`: the link that brings it in this step; the bits say the same as a row. */
  private readonly takenBy: Int32Array;
  private readonly taken: Uint32Array;
  private readonly tried: Uint32Array;
  private rank = 0;
  private sources: Int32Array = new Int32Array(0);

  constructor(links: UnitLinks, holdings: Holdings, random: Random) {
    this.links = links;
    this.holdings = holdings;
    this.random = random;
    this.takenBy = new Int32Array(holdings.holders.length).fill(none);
    this.taken = new Uint32Array(holdings.words);
    this.tried = new Uint32Array(holdings.words);
  }

  /** Adds everything that `rank` receives in so many rounds at most to the moves, link by link; returns in how many it does. */
  receive(rank: number, most: number, moves: Moves): number {
    const { from, units, firstInto } = this.links;
    this.rank = rank;
    this.sources = from.subarray(firstInto[rank], firstInto[rank + 1]);
    const order = this.random.shuffle([...this.sources.keys()]);
    const runs = order.map(() => ({ low: none, high: none }));
    let rounds = 0;
    for (; rounds < most; rounds++) {
      let brought = 0;
      for (const link of order) {
        for (let unit = 0; unit < units[firstInto[rank] + link] && this.fill(link, runs[link]); unit++) brought++;
      }
      if (brought === 0) break;
    }
    this.bring(moves);
    return rounds;
  }

  /**
   * Finds a link another item to bring, if it can. Neighbours of those that it brings already are one piece with them: they
   * are preferred, as messages of many pieces have to be packed.
   */
  private fill(link: number, run: { low: number; high: number }): boolean {
    if (run.low !== none && this.isFree(link, run.high + 1)) this.take(link, ++run.high);
    else if (run.low !== none && this.isFree(link, run.low - 1)) this.take(link, --run.low);
    else {
      const item = this.rarest(link);
      run.low = item;
      run.high = item;
      if (item === none) return this.augment(link, this.tried.fill(0));
      this.take(link, item);
    }
    return true;
  }

  /** Whether the link could bring an item that no link brings yet. */
  private isFree(link: number, item: number): boolean {
    const { words, has, holders } = this.holdings;
    if (item < 0 || item >= holders.length) return false;
    const word = item >> 5;
    const free = has[this.sources[link] * words + word] & ~has[this.rank * words + word] & ~this.taken[word];
    return (free & (1 << (item & 31))) !== 0;
  }

  /** Adds what has been taken to the moves, link by link and ascending; then nothing is taken any longer. */
  private bring(moves: Moves): void {
    const { taken, takenBy, sources, rank } = this;
    const byLink: number[][] = Array.from(sources, () => []);
    for (let word = 0; word < taken.length; word++) {
      for (let rest = taken[word]; rest !== 0; rest &= rest - 1) {
        const item = 32 * word + lowestBit(rest);
        byLink[takenBy[item]].push(item);
      }
    }
    taken.fill(0);
    for (const [link, items] of byLink.entries()) {
      for (const item of items) {
        moves.add(sources[link], rank, item);
        this.holdings.promise(rank, item);
      }
    }
  }

  private take(link: number, item: number): void {
    this.takenBy[item] = link;
    this.taken[item >> 5] |= 1 << (item & 31);
  }

  /** An item that the link could bring and that no link brings yet: the rarest of those looked at, or `none`. */
  private rarest(link: number): number {
    const { words, has, holders } = this.holdings;
    const source = this.sources[link] * words;
    const lacks = this.rank * words;
    let best = none;
    let bestScore = Number.POSITIVE_INFINITY;
    let compared = 0;
    const firstWord = words === 1 ? 0 : this.random.below(words);
    for (let w = 0; w < words && compared < limits.compared; w++) {
      const word = firstWord + w < words ? firstWord + w : firstWord + w - words;
      for (let rest = has[source + word] & ~has[lacks + word] & ~this.taken[word]; rest !== 0; rest &= rest - 1) {
        const item = 32 * word + lowestBit(rest);
        const near = this.neighboursWith(item) * this.sources.length;
        const score = holders[item] + near + this.random.next() / 2 ** 32;
        compared++;
        if (score >= bestScore) continue;
        best = item;
        bestScore = score;
      }
    }
    return best;
  }

  /** Neighbours that have an item or are about to. */
  private neighboursWith(item: number): number {
    const { words, gets } = this.holdings;
    return this.sources.reduce((count, rank) => count + ((gets[rank * words + (item >> 5)] >>> (item & 31)) & 1), 0);
  }

  /** Finds the link something to bring by letting another link bring something else; no item is tried twice. */
  private augment(link: number, tried: Uint32Array): boolean {
    const { words, has } = this.holdings;
    const source = this.sources[link] * words;
    for (let word = 0; word < words; word++) {
      for (;;) {
        const untried = has[source + word] & this.taken[word] & ~tried[word];
        if (untried === 0) break;
        const item = 32 * word + lowestBit(untried);
        tried[word] |= 1 << (item & 31);
        const other = this.takenBy[item];
        if (other === link) continue;
        const instead = this.rarest(other);
        if (instead !== none) this.take(other, instead);
        else if (!this.augment(other, tried)) continue;
        this.take(link, item);
        return true;
      }
    }
    return false;
  }
}

/**
 * What one rank receives in one step: as many items as its links can bring, each once, the rarest first. Links and the items
 * they could bring make a bipartite graph; a maximum b-matching is found by augmenting paths (Kuhn 1955).
 */
import { none } from '../../../ir/none.ts';
import type { Random } from '../../../ir/random.ts';
import { highestBit, lowestBit } from '../bits.ts';
import type { Holdings } from '../holdings.ts';
import { limits } from '../limits.ts';
import type { Moves } from '../spread.ts';

/**
 * Which items are brought first: the rarest; of these the ones that no other neighbour has or gets, so that they are left to be brought
 * later, over the link from there.
 */
export type Preference = 'rare' | 'unshared';

/** The matching for one receiver at a time; its arrays serve all of them. */
export class Receiver {
  private readonly holdings: Holdings;
  private readonly random: Random;
  /** `takenBy[item]`: the link that brings it in this step; the bits say the same as a row. */
  private readonly takenBy: Int32Array;
  private readonly taken: Uint32Array;
  private readonly triedBits: Uint32Array;
  /** The first item that each link brings, and after each item the next. */
  private readonly firstItem: Int32Array;
  private readonly nextItem: Int32Array;
  private readonly prefers: Preference;
  private rank = 0;
  private sources: Int32Array = new Int32Array(0);

  constructor(holdings: Holdings, random: Random, prefers: Preference) {
    this.prefers = prefers;
    this.holdings = holdings;
    this.random = random;
    this.takenBy = new Int32Array(holdings.holders.length).fill(none);
    this.taken = new Uint32Array(holdings.words);
    this.triedBits = new Uint32Array(holdings.words);
    this.firstItem = new Int32Array(holdings.lacking.length);
    this.nextItem = new Int32Array(holdings.holders.length);
  }

  /**
   * Adds everything that `rank` receives to the moves, link by link.
   * @param sources the ranks its links come from
   * @param units items that each link carries in a round
   */
  receive(rank: number, sources: Int32Array, units: Int32Array, rounds: number, moves: Moves): void {
    this.rank = rank;
    this.sources = sources;
    const order: number[] = [];
    for (let link = 0; link < sources.length; link++) order.push(link);
    this.random.shuffle(order);
    for (let at = 0; at < order.length; at++) {
      this.fill(order[at], units[order[at]] * rounds);
    }
    this.listByLink();
    for (let link = 0; link < sources.length; link++) this.bring(link, moves);
  }

  /**
   * Finds a link so many items to bring, or as many as it can. Neighbours of those that it brings already are one piece with them: they
   * are preferred, as messages of many pieces have to be packed.
   */
  private fill(link: number, capacity: number): void {
    let [low, high] = [none, none];
    for (let unit = 0; unit < capacity; unit++) {
      if (low !== none && this.isFree(link, high + 1)) this.take(link, ++high);
      else if (low !== none && this.isFree(link, low - 1)) this.take(link, --low);
      else {
        const item = this.rarest(link);
        if (item !== none) this.take(link, item);
        else if (!this.augmentAnew(link)) return;
        low = item;
        high = item;
      }
    }
  }

  /** Whether the link could bring an item that no link brings yet. */
  private isFree(link: number, item: number): boolean {
    const { words, has, holders } = this.holdings;
    if (item < 0 || item >= holders.length) return false;
    const word = item >> 5;
    const free = has[this.sources[link] * words + word] & ~has[this.rank * words + word] & ~this.taken[word];
    return (free & (1 << (item & 31))) !== 0;
  }

  private augmentAnew(link: number): boolean {
    this.triedBits.fill(0);
    return this.augment(link);
  }

  /** Puts what has been taken, which nothing takes any longer, into the lists of the links, ascending. */
  private listByLink(): void {
    const { taken, takenBy, firstItem, nextItem } = this;
    firstItem.fill(none, 0, this.sources.length);
    for (let word = taken.length - 1; word >= 0; word--) {
      for (let rest = taken[word]; rest !== 0; ) {
        const item = 32 * word + highestBit(rest);
        rest ^= 1 << (item & 31);
        nextItem[item] = firstItem[takenBy[item]];
        firstItem[takenBy[item]] = item;
        takenBy[item] = none;
      }
      taken[word] = 0;
    }
  }

  private bring(link: number, moves: Moves): void {
    for (let item = this.firstItem[link]; item !== none; item = this.nextItem[item]) {
      moves.add(this.sources[link], this.rank, item);
      this.holdings.promise(this.rank, item);
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
        const others = this.prefers === 'unshared' ? this.othersWith(item, link) * this.sources.length : 0;
        const score = holders[item] + others + this.random.next() / 2 ** 32;
        compared++;
        if (score >= bestScore) continue;
        best = item;
        bestScore = score;
      }
    }
    return best;
  }

  /** Other neighbours that have an item or are about to. */
  private othersWith(item: number, link: number): number {
    const { words, gets } = this.holdings;
    let others = 0;
    for (let source = 0; source < this.sources.length; source++) {
      const word = this.sources[source] * words + (item >> 5);
      if (source !== link && (gets[word] & (1 << (item & 31))) !== 0) others++;
    }
    return others;
  }

  /** Finds the link something to bring by letting another link bring something else; no item is tried twice. */
  private augment(link: number): boolean {
    const { words, has } = this.holdings;
    const source = this.sources[link] * words;
    for (let word = 0; word < words; word++) {
      for (;;) {
        const untried = has[source + word] & this.taken[word] & ~this.triedBits[word];
        if (untried === 0) break;
        const item = 32 * word + lowestBit(untried);
        this.triedBits[word] |= 1 << (item & 31);
        const other = this.takenBy[item];
        if (other === link) continue;
        const instead = this.rarest(other);
        if (instead !== none) this.take(other, instead);
        else if (!this.augment(other)) continue;
        this.take(link, item);
        return true;
      }
    }
    return false;
  }
}

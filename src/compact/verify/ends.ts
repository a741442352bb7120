/**
 * Multisets of the places into which a value flows, for backward runs. Most values flow into one place, and such a multiset is stored as the number
 * of the place. Others are stored as the union of two multisets, or as a multiset of another rank translated to rank 0's names, and are listed only
 * when they are queried. A place is the number rank · `stride` + index, with the rank relative to the rank that holds the value.
 */
import { none } from '../../ir/none.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { Translations } from './translations.ts';

/** Numbers up to this one stand for unions: union k has the number −2 − k. */
const firstJoined = -2;

/** Why a multiset is wrong. */
export type Flaw = 'missing' | 'twice' | 'elsewhere' | 'too many to list';

export class Ends {
  private readonly stride: number;
  private readonly group: TranslationGroup;
  /** The two operands of union k (the second is `nowhere` if there is only one), and the offset of the rank whose names they use. */
  private readonly parts: (readonly [one: number, other: number, offset: number])[] = [];
  private readonly translations: Translations;
  private budget: number;

  /** @param budget largest total number of steps for listing multisets */
  constructor(group: TranslationGroup, stride: number, budget: number) {
    this.group = group;
    this.translations = new Translations(group);
    this.stride = stride;
    this.budget = budget;
  }

  union(a: number, b: number): number {
    if (a === none) return b;
    if (b === none) return a;
    return this.join(a, b, 0);
  }

  /** Translates a multiset of the rank at an offset to rank 0's names. */
  translated(multiset: number, offset: number): number {
    if (multiset === none) return multiset;
    if (multiset < 0) {
      const [one, other, before] = this.parts[firstJoined - multiset];
      return this.join(one, other, this.group.add(before, offset));
    }
    const rank = Math.floor(multiset / this.stride);
    return this.translations.by(offset)(rank) * this.stride + (multiset - rank * this.stride);
  }

  /**
   * Returns undefined if a multiset consists of `count` different places and `belongs` holds for each of them, else what is wrong.
   * @param repeats whether a place may occur more than once
   */
  flawOf(multiset: number, count: number, repeats: boolean, belongs: (place: number) => boolean): Flaw | undefined {
    if (multiset >= 0) return !belongs(multiset) ? 'elsewhere' : count === 1 ? undefined : 'missing';
    const seen = new Set<number>();
    for (const place of this.list(multiset)) {
      if (place === undefined) return 'too many to list';
      if (!belongs(place)) return 'elsewhere';
      if (seen.has(place) && !repeats) return 'twice';
      seen.add(place);
    }
    return seen.size === count ? undefined : 'missing';
  }

  /** Lists the places of a multiset, each as often as it occurs; yields undefined when the budget is exhausted. */
  private *list(multiset: number): Iterable<number | undefined> {
    const { group, stride } = this;
    const waiting = [multiset];
    const offsets = [0];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const offset = offsets.pop() ?? 0;
      if (this.budget-- <= 0) return yield undefined;
      if (at === none) continue;
      if (at >= 0) {
        const rank = Math.floor(at / stride);
        yield group.add(rank, offset) * stride + (at - rank * stride);
        continue;
      }
      const [one, other, by] = this.parts[firstJoined - at];
      const inner = group.add(offset, by);
      waiting.push(one, other);
      offsets.push(inner, inner);
    }
  }

  private join(one: number, other: number, offset: number): number {
    this.parts.push([one, other, offset]);
    return firstJoined - (this.parts.length - 1);
  }
}

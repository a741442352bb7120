/**
 * Multisets of places that a value ends up in, for runs that are followed backwards. Most values end up in one place, which is a number; what ends
 * up in several is the union of two multisets, or a multiset of another rank as rank 0 names it, and is not listed before somebody asks. A
 * place is rank · `stride` + number, the rank as seen from the rank that holds the value.
 */
import { none } from '../../ir/none.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { Translations } from './translations.ts';

/** Multisets below this are joined ones. */
const firstJoined = -2;

/** Why a multiset is not what it should be. */
export type Flaw = 'missing' | 'twice' | 'elsewhere' | 'too many to list';

export class Ends {
  private readonly stride: number;
  private readonly group: TranslationGroup;
  /** Of joined multiset −2 − k: its two parts, the second `nowhere` if there is one, and how far off the rank is that they are of. */
  private readonly parts: (readonly [one: number, other: number, offset: number])[] = [];
  private readonly translations: Translations;
  private budget: number;

  /** @param budget steps of listing multisets that may be taken in all */
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

  /** What the rank at an offset says of a multiset, as rank 0 names it. */
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
   * Undefined if a multiset has `count` different places, for each of which `belongs` holds.
   * @param repeats whether a place may be there more than once
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

  /** The places of a multiset, as often as they are there; undefined where the budget ends. */
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

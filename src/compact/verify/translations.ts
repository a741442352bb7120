/** The translations of a group, each made once. */
import type { TranslationGroup } from '../../ir/translation-group.ts';

export class Translations {
  private readonly group: TranslationGroup;
  private readonly made = new Map<number, (rank: number) => number>();

  constructor(group: TranslationGroup) {
    this.group = group;
  }

  /** Returns the translation that takes rank 0 to the offset, as a function of the rank. */
  by(offset: number): (rank: number) => number {
    let translate = this.made.get(offset);
    if (translate === undefined) {
      translate = this.group.translation(offset);
      this.made.set(offset, translate);
    }
    return translate;
  }
}

import type { TranslationGroup } from '../../ir/translation-group.ts';
import { distancesFrom } from '../distances.ts';

/** `distance[offset]`: links from rank 0 to rank `offset`; Infinity where there is no way. */
export function distancesOn(group: TranslationGroup, offsets: Iterable<number>): Float64Array {
  const translations = Array.from(offsets, (offset) => group.translation(offset));
  return distancesFrom(0, group.order, (at) => translations.map((translate) => translate(at)));
}

import type { TranslationGroup } from '../../ir/translation-group.ts';

/** `distance[offset]`: links from rank 0 to rank `offset`, −1 where there is no way. */
export function distancesOn(group: TranslationGroup, offsets: Iterable<number>): Int32Array {
  const distance = new Int32Array(group.order).fill(-1);
  const queue = new Int32Array(group.order);
  const translations = Array.from(offsets, (offset) => group.translation(offset));
  distance[0] = 0;
  for (let head = 0, tail = 1; head < tail; head++) {
    const at = queue[head];
    for (const translate of translations) {
      const next = translate(at);
      if (distance[next] >= 0) continue;
      distance[next] = distance[at] + 1;
      queue[tail++] = next;
    }
  }
  return distance;
}

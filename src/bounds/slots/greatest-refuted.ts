/** The greatest time, by halving, that no plan can take; all times below one that is refuted are. */
import type { Seconds } from '../../ir/units.ts';

/** @param first a time that is refuted */
export function greatestRefuted(first: Seconds, isRefuted: (seconds: Seconds) => boolean): Seconds {
  let [refuted, open] = [first, 2 * first];
  while (isRefuted(open)) open *= 2;
  for (let round = 0; round < 50; round++) {
    const middle = (refuted + open) / 2;
    if (isRefuted(middle)) refuted = middle;
    else open = middle;
  }
  return refuted;
}

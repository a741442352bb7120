/** Bisection for the greatest time that is refuted, given that all smaller times are refuted with it. */
import type { Seconds } from '../../ir/units.ts';

/** @param first a time that is known to be refuted */
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

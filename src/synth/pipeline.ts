import type { Seconds } from '../ir/units.ts';

/**
 * Smaller gains are not worth a pipeline twice as deep. Where messages cost nothing but their bytes the time falls for ever, by
 * less and less, and real machines pay for every message.
 */
const worthwhile = 1 - 2e-3;

/**
 * Finds the k in 1 … `most` with the least cost, for costs that fall and then rise in k, as (N + k − 2)(α + M/(kβ)) does:
 * doubling or halving from `start` brackets the minimum, then the bracket is halved by comparing neighbours until its ends
 * differ by no more than `precision` of themselves. Ties go to the smaller k. `goOn` is asked before each evaluation: false ends
 * the search, and the best k so far is the answer.
 */
export function bestDepth(
  cost: (depth: number) => Seconds,
  most: number,
  goOn: (depth: number) => boolean,
  start = 1,
  precision = 0,
): { readonly depth: number; readonly seconds: Seconds } {
  const known = new Map<number, Seconds>();
  const at = (depth: number): Seconds | undefined => {
    if (!known.has(depth) && goOn(depth)) known.set(depth, cost(depth));
    return known.get(depth);
  };
  const falls = (from: number, to: number, factor = 1): boolean => {
    const [before, after] = [at(from), at(to)];
    return before !== undefined && after !== undefined && after < before * factor;
  };
  let low = Math.max(1, Math.min(start, most));
  let high = Math.min(low * 2, most);
  if (falls(low, high)) {
    while (high < most && falls(high, Math.min(high * 2, most), worthwhile)) {
      low = high;
      high = Math.min(high * 2, most);
    }
    high = Math.min(high * 2, most);
  } else {
    while (low > 1 && !falls(Math.ceil(low / 2), low)) {
      high = low;
      low = Math.ceil(low / 2);
    }
    low = Math.ceil(low / 2);
  }
  while (high > low * (1 + precision)) {
    const middle = (low + high) >> 1;
    if (falls(middle, middle + 1)) low = middle + 1;
    else high = middle;
  }
  at(low);
  // Costs do not always fall and rise as they should: two halves take little to look at.
  at(Math.min(2, most));
  let best = { depth: 1, seconds: Number.POSITIVE_INFINITY };
  for (const [depth, seconds] of known) {
    if (seconds < best.seconds || (seconds === best.seconds && depth < best.depth)) best = { depth, seconds };
  }
  return best;
}

/** A further bulk costs this part of all latencies. */
const partPaid = 8;

/**
 * What a schedule takes in the bulks that suit it: T in one bulk, L of it for no bytes, and R for the busiest link or chip. k bulks take
 * L + R + (T − L − R)/k and k·L/8 more, least at k = √(8·(T − L − R)/L).
 */
export function inSuitedBulks(seconds: Seconds, latency: Seconds, busiest: Seconds): Seconds {
  const hidden = Math.max(0, seconds - latency - busiest);
  const depth = latency === 0 ? 1 : Math.max(1, Math.round(Math.sqrt((partPaid * hidden) / latency)));
  return Math.min(seconds, latency + busiest + hidden / depth);
}

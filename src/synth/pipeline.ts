import { type Seconds, sumError } from '../ir/units.ts';

/** A number of bulks, and what they take. */
export interface Depth {
  readonly depth: number;
  readonly seconds: Seconds;
}

/**
 * Smaller gains are not worth a pipeline twice as deep, messages of all sizes, or copies in another order. Where messages cost nothing but their bytes the time falls for ever, by
 * less and less, and real machines pay for every message.
 */
export const worthwhile = 1 - 2e-3;

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
): Depth {
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

/** A further bulk costs this part of all latencies, where its messages add nothing to the busiest link. */
const partPaid = 1 / 8;

/**
 * Where to begin: T(k) = L + R + (T − L − R)/k + (k − 1)a, for what takes T in one bulk, L of it for no bytes, whose busiest link or chip needs R for
 * the bytes and a for the latencies of each further bulk. That is least at k = √((T − L − R)/a).
 *
 * @param most the most bulks there may be
 */
export function inSuitedBulks(
  seconds: Seconds,
  latency: Seconds,
  busiest: Seconds,
  added: Seconds = 0,
  most = Number.POSITIVE_INFINITY,
): Depth {
  const hidden = Math.max(0, seconds - latency - busiest);
  const paid = added > seconds * sumError ? added : latency * partPaid;
  const depth = paid > 0 ? Math.max(1, Math.min(most, Math.round(Math.sqrt(hidden / paid)))) : 1;
  return { depth, seconds: Math.min(seconds, latency + busiest + hidden / depth + (depth - 1) * added) };
}

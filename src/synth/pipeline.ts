import type { Seconds } from '../ir/units.ts';

/**
 * Finds the k in 1 … `most` with the least cost, for costs that fall and then rise in k, as (N + k − 2)(α + M/(kβ)) does:
 * doubling brackets the minimum, then the bracket is halved by comparing neighbours. About 3·log₂k* evaluations; costs that
 * never fall take two. Ties go to the smaller k. `goOn` is asked before each evaluation: false ends the search, and the
 * best k so far is the answer.
 */
export function bestDepth(cost: (depth: number) => Seconds, most: number, goOn: (depth: number) => boolean): number {
  const known = new Map<number, Seconds>();
  const at = (depth: number): Seconds | undefined => {
    if (!known.has(depth) && goOn(depth)) known.set(depth, cost(depth));
    return known.get(depth);
  };
  const falls = (from: number, to: number): boolean => {
    const [before, after] = [at(from), at(to)];
    return before !== undefined && after !== undefined && after < before;
  };
  let low = 1;
  let high = Math.min(2, most);
  while (high < most && falls(high >> 1, high)) {
    low = high >> 1;
    high = Math.min(high * 2, most);
  }
  while (high > low) {
    const middle = (low + high) >> 1;
    if (falls(middle, middle + 1)) low = middle + 1;
    else high = middle;
  }
  let best = 1;
  for (const [depth, seconds] of known) {
    const least = known.get(best) ?? Number.POSITIVE_INFINITY;
    if (seconds < least || (seconds === least && depth < best)) best = depth;
  }
  return best;
}

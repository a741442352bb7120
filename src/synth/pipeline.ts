import type { Seconds } from '../ir/units.ts';

/** The best depth of a pipeline and its time. */
export interface Depth {
  readonly depth: number;
  readonly seconds: Seconds;
}

/**
 * Finds the k in 1 … `most` with the least cost, for costs that fall and then rise in k, as (N + k − 2)(α + M/(kβ)) does:
 * doubling brackets the minimum, then the bracket is halved by comparing neighbours. About 3·log₂k* evaluations. Costs that
 * never fall (a plan that does not gain from a pipeline) take two. Ties go to the smaller k.
 */
export function bestDepth(cost: (depth: number) => Seconds, most: number): Depth {
  const known = new Map<number, Seconds>();
  const at = (depth: number): Seconds => {
    let seconds = known.get(depth);
    if (seconds === undefined) {
      seconds = cost(depth);
      known.set(depth, seconds);
    }
    return seconds;
  };
  let low = 1;
  let high = Math.min(2, most);
  while (high < most && at(high) < at(Math.max(1, high >> 1))) {
    low = high >> 1;
    high = Math.min(high * 2, most);
  }
  // The minimum lies in low … high; the slope at the middle says on which side.
  while (high > low) {
    const middle = (low + high) >> 1;
    if (at(middle + 1) < at(middle)) low = middle + 1;
    else high = middle;
  }
  return { depth: low, seconds: at(low) };
}

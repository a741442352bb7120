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
 * doubling or halving from `start` as long as that gains, then by smaller and smaller steps to either side, the last of which are no
 * more than `precision` of k apart. Ties go to the smaller k. `goOn` is asked before each evaluation: false ends the search, and the best k
 * so far is the answer.
 */
export function bestDepth(
  cost: (depth: number) => Seconds,
  most: number,
  goOn: (depth: number) => boolean,
  start = 1,
  precision = 0,
): Depth {
  const seen = new Set<number>();
  let best: Depth = { depth: 1, seconds: Number.POSITIVE_INFINITY };
  /** Whether it is better than all before, by so much. */
  const gains = (wanted: number, factor = 1): boolean => {
    const depth = Math.max(1, Math.min(wanted, most));
    if (seen.has(depth) || !goOn(depth)) return false;
    seen.add(depth);
    const before = best;
    const seconds = cost(depth);
    if (seconds < before.seconds || (seconds === before.seconds && depth < before.depth)) best = { depth, seconds };
    return best !== before && seconds <= before.seconds * factor;
  };
  gains(start);
  while (gains(best.depth * 2, worthwhile)) {}
  while (gains(Math.ceil(best.depth / 2))) {}
  for (let step = best.depth; step > Math.max(1, (precision * best.depth) / 2); ) {
    step = Math.ceil(step / 2);
    if (!gains(best.depth + step)) gains(best.depth - step);
  }
  // Costs do not always fall and rise as they should: two halves take little to look at.
  gains(2);
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
export function estimatedDepth(
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

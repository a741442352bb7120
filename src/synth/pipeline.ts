import { type Seconds, sumError } from '../ir/units.ts';

/** A number of bulks and its time. */
export interface Depth {
  readonly depth: number;
  readonly seconds: Seconds;
}

/**
 * Gains below this factor are not worth a deeper pipeline, unequal sizes or another order of copies. Where messages
 * cost nothing but their bytes the time falls for ever by less and less, while real machines have a cost per message.
 */
export const worthwhile = 1 - 2e-3;

/**
 * Finds the k in 1 … `most` with the least cost, for costs that first fall and then rise in k, such as (N + k − 2)(α +
 * M/(kβ)): doubling or halving from `start` while that gains, then smaller steps to either side until they are at most
 * `precision` of k. Ties go to the smaller k. `goOn` is called before each evaluation; if it returns false the search
 * ends with the best k so far.
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
  /** Evaluates k = `wanted`; returns whether it improves on the best by `factor`. */
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
  // Costs are not always unimodal; two bulks are cheap to evaluate.
  gains(2);
  return best;
}

/** The part of all latencies that a further bulk costs if its messages add nothing to the busiest link. */
const partPaid = 1 / 8;

/**
 * An initial guess of the depth: T(k) = L + R + (T − L − R)/k + (k − 1)a for a plan that takes T in one bulk, L for an
 * empty message, and whose busiest resource needs R for the bytes and a for the latencies of each further bulk. The
 * minimum is at k = √((T − L − R)/a).
 * @param most the maximum number of bulks
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

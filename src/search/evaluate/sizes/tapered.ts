/**
 * Tapered bulks. At the ends of a pipeline, links wait for the whole first bulk to be copied or reduced, and engines
 * wait for the whole last bulk to arrive; small bulks there shorten these waits, while large bulks in between save
 * latency. A bulk may exceed its predecessor by about what engines can process during the latency of its message. Sizes
 * therefore rise linearly to the full size and fall linearly at the end.
 */
import { sizeClasses, unroll } from '../../../passes/index.ts';
import { bestDepth } from '../../../synth/index.ts';
import type { EvaluatedCandidate } from '../evaluate-candidate.ts';
import { type Sized, type SizeSearch, Sizing } from './best-sizes.ts';

/** Number of bulks before the full size is reached, and number of bulks after it is left; 1 for no taper. */
export interface Taper {
  readonly rising: number;
  readonly falling: number;
}

/**
 * Finds the best taper of a plan with a given number of bulks, one end after the other while that gains, over powers of
 * two.
 * @returns undefined if there is no pipeline, or the collective cannot be cut
 */
export function tapered(
  { schedule, checked }: EvaluatedCandidate,
  search: SizeSearch,
): { readonly sized: Sized; readonly taper: Taper } | undefined {
  const { bulks } = checked.plan;
  const unrolled = unroll(schedule, bulks);
  const classes = bulks === 1 ? undefined : sizeClasses(unrolled, true);
  if (classes === undefined) return undefined;
  const sizing = new Sizing(unrolled, classes, search);
  const { chunks } = schedule.collective;
  const bulkOf = new Int32Array(classes.count);
  for (let slot = 0; slot < classes.slots; slot++) {
    bulkOf[classes.of[slot]] = Math.floor((slot % (chunks * bulks)) / chunks);
  }
  const sizedBy = ({ rising, falling }: Taper): Sized => {
    const weights = Float64Array.from(bulkOf, (bulk) => Math.min(1, (bulk + 1) / rising, (bulks - bulk) / falling));
    const total = classes.shards[0].reduce((sum, of) => sum + weights[of], 0);
    const parts = weights.map((weight) => weight / total);
    return { sizing, parts, seconds: sizing.run(parts).seconds };
  };
  let taper: Taper = { rising: 1, falling: 1 };
  let { seconds } = sizedBy(taper);
  for (let before = Number.POSITIVE_INFINITY; seconds < before; ) {
    before = seconds;
    for (const end of ['rising', 'falling'] as const) {
      const timeWith = (length: number): number => sizedBy({ ...taper, [end]: length }).seconds;
      const found = bestDepth(timeWith, bulks, () => search.spend(2 * sizing.operations), taper[end], 1);
      if (found.seconds < seconds) [taper, seconds] = [{ ...taper, [end]: found.depth }, found.seconds];
    }
  }
  return { sized: sizedBy(taper), taper };
}

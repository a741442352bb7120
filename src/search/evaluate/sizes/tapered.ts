/**
 * Bulks that taper. At the ends of a pipeline links wait for a whole first bulk to be copied or combined, and engines for a whole last one to come: small
 * bulks there take less of that. In the middle large ones save latencies. A bulk may be larger than the one before by about what its message's latency
 * lets engines do meanwhile, so that sizes rise in a straight line to that of the bulks in the middle, and fall like that to the last one.
 */
import { sizeClasses, unroll } from '../../../passes/index.ts';
import { bestDepth } from '../../../synth/index.ts';
import type { EvaluatedCandidate } from '../evaluate-candidate.ts';
import { type Sized, type SizeSearch, Sizing } from './best-sizes.ts';

/** Bulks until the full size is reached, and bulks from the first that is smaller again: 1 for none. */
export interface Taper {
  readonly rising: number;
  readonly falling: number;
}

/**
 * A plan in as many bulks as it has, written out, with the ends that suit it best: one end after the other, as long as that gains, in powers of two.
 *
 * @returns undefined where there is no pipeline, or the collective cannot be cut
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

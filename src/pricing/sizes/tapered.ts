/**
 * Bulks that taper. At the ends of a pipeline links wait for a whole first bulk to be copied or combined, and engines for a whole last one to come: small
 * bulks there take less of that. In the middle large ones save latencies. A bulk may be larger than the one before by about what its message's latency
 * lets engines do meanwhile, so that sizes rise in a straight line to that of the bulks in the middle, and fall like that to the last one.
 */
import { sizeClasses, unroll } from '../../passes/index.ts';
import { bestDepth } from '../../synth/index.ts';
import type { Priced } from '../price.ts';
import type { Sized, SizeSearch } from './best-sizes.ts';
import { Sizing } from './sizing.ts';
import { mostOperations } from './slices.ts';

/** Bulks until the full size is reached, and bulks from the first that is smaller again: 1 for none. */
export interface Taper {
  readonly rising: number;
  readonly falling: number;
}

/**
 * A plan in as many bulks as it has, written out, with the ends that suit it best.
 *
 * @returns undefined where there is no pipeline, it is too large, its steps keep ranks together, or the collective cannot be cut
 */
export function tapered(
  { schedule, checked }: Priced,
  { routes, size, effort }: SizeSearch,
): { readonly sized: Sized; readonly taper: Taper } | undefined {
  const { bulks } = checked.plan;
  if (bulks === 1 || schedule.inStep === true) return undefined;
  if (bulks * checked.plan.ops.kind.length > mostOperations) return undefined;
  const unrolled = unroll(schedule, bulks);
  const classes = sizeClasses(unrolled, true);
  if (classes === undefined) return undefined;
  const sizing = new Sizing(unrolled, classes, routes, size);
  const bulkOf = bulksOf(classes.of, classes.slots, bulks, schedule.collective.chunks);
  const partsWith = (taper: Taper): Float64Array => {
    const weights = Float64Array.from(bulkOf, (bulk) => weightOf(bulk, bulks, taper));
    const total = classes.shards[0].reduce((sum, of) => sum + weights[of], 0);
    return weights.map((weight) => weight / total);
  };
  const known = new Map<string, number>();
  const timeWith = (taper: Taper): number => {
    const key = `${taper.rising} ${taper.falling}`;
    const seconds = known.get(key) ?? sizing.run(partsWith(taper)).seconds;
    known.set(key, seconds);
    return seconds;
  };
  const goesOn = (): boolean => effort.spend(2 * sizing.operations);
  const best = bestTaper(timeWith, bulks, goesOn);
  const secondsWith = (parts: Float64Array): number => sizing.run(parts).seconds;
  return {
    sized: { schedule: unrolled, classes, parts: partsWith(best), seconds: timeWith(best), secondsWith },
    taper: best,
  };
}

/** One end after the other, as long as that gains; lengths are powers of two. */
function bestTaper(timeWith: (taper: Taper) => number, bulks: number, goesOn: () => boolean): Taper {
  let best: Taper = { rising: 1, falling: 1 };
  let seconds = timeWith(best);
  for (;;) {
    const before = seconds;
    for (const end of ['rising', 'falling'] as const) {
      const found = bestDepth((length) => timeWith({ ...best, [end]: length }), bulks, goesOn, best[end], 1);
      if (found.seconds >= seconds) continue;
      [best, seconds] = [{ ...best, [end]: found.depth }, found.seconds];
    }
    if (seconds >= before) return best;
  }
}

function weightOf(bulk: number, bulks: number, { rising, falling }: Taper): number {
  return Math.min(1, (bulk + 1) / rising, (bulks - bulk) / falling);
}

/** By class of an unrolled schedule, its bulk. */
function bulksOf(classOf: Int32Array, slots: number, bulks: number, chunks: number): Int32Array {
  const found = new Int32Array(classOf.reduce((most, of) => Math.max(most, of), 0) + 1);
  for (let slot = 0; slot < slots; slot++) found[classOf[slot]] = Math.floor((slot % (chunks * bulks)) / chunks);
  return found;
}

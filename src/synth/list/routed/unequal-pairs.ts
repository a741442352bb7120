/** Alltoalls in which pairs of ranks have different amounts for each other. */
import type { Collective } from '../../../ir/collective.ts';
import type { Bytes } from '../../../ir/units.ts';
import { limits } from '../limits.ts';
import { cutUp, type Parcel } from './parcels.ts';

/** Bytes of each pair, where some differ from others on their way; undefined where all ways carry the same. */
export function unequalCounts({ counts, ranks }: Collective): readonly number[] | undefined {
  const carried = counts?.filter((_, pair) => Math.floor(pair / ranks) !== pair % ranks);
  return carried?.some((bytes) => bytes !== carried[0]) === true ? counts : undefined;
}

/** Bytes that pairs have on average, those with none left out. */
export function averageBytes(counts: readonly Bytes[]): Bytes {
  const some = counts.filter((bytes) => bytes > 0);
  return some.reduce((sum, bytes) => sum + bytes, 0) / some.length;
}

/** What ranks have for others, of any size, in parts of the same size or less: `chunks` for what has the average of bytes. */
export function parcelsOfPairs(counts: readonly number[], ranks: number, chunks: number): Parcel[] {
  const unit = averageBytes(counts) / chunks;
  return counts.flatMap((bytes, pair) => {
    const [source, destination] = [Math.floor(pair / ranks), pair % ranks];
    if (bytes === 0 || source === destination) return [];
    const parts = Math.min(limits.partsOfPair, 2 ** Math.ceil(Math.log2(Math.max(1, bytes / unit)) - 1e-9));
    return cutUp({ source, destination, weight: bytes / unit }, parts);
  });
}

/** Which chunks of the `data` buffer an item is. */
import { leastCommonMultiple } from '../../ir/whole-numbers.ts';
import { maxChunksPerShard } from '../limits.ts';
import type { SpreadingRoot } from '../shares.ts';

/** Slots of items: item i is `first(i) … end(i) − 1`, the same everywhere. */
export interface Places {
  first(item: number): number;
  end(item: number): number;
}

/** Items of so many chunks each, one after the other. */
export function evenPlaces(chunks: number): Places {
  return { first: (item) => item * chunks, end: (item) => (item + 1) * chunks };
}

/**
 * Shards of an allgather, all of them C chunks and divided into as many items as they have bytes for: equal parts, or the nearest
 * whole numbers of chunks.
 *
 * @param origin the rank of each item, ascending
 */
export function placesInShards(origin: Int32Array, chunks: number): Places {
  const itemsOf = new Map<number, number>();
  for (const rank of origin) itemsOf.set(rank, (itemsOf.get(rank) ?? 0) + 1);
  const bounds = new Int32Array(2 * origin.length);
  for (let item = 0, start = 0; item < origin.length; item++) {
    const rank = origin[item];
    if (rank !== origin[start]) start = item;
    const boundary = (before: number): number => Math.round((chunks * before) / (itemsOf.get(rank) ?? 1));
    bounds[2 * item] = rank * chunks + boundary(item - start);
    bounds[2 * item + 1] = rank * chunks + boundary(item + 1 - start);
  }
  return { first: (item) => bounds[2 * item], end: (item) => bounds[2 * item + 1] };
}

/** The chunks of every shard for which items are equal parts of them, or nearly so. */
export function chunksFor(shares: readonly SpreadingRoot[], itemsPerUnit: number): number {
  const items = shares.map(({ share }) => share * itemsPerUnit);
  const even = items.reduce(leastCommonMultiple, 1);
  if (even <= maxChunksPerShard) return even;
  const most = Math.max(...items);
  return most * Math.max(1, Math.floor(maxChunksPerShard / most));
}

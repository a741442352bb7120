/** Maps the items of a search to chunks of the `data` buffer. */
import { leastCommonMultiple } from '../../ir/whole-numbers.ts';
import { maxChunksPerShard } from '../limits.ts';
import type { SpreadingRoot } from '../shares.ts';

/** The chunks of each item: item i is chunks `first(i) … end(i) − 1` of the buffer, on every rank. */
export interface Places {
  first(item: number): number;
  end(item: number): number;
}

/** Places items of `chunks` chunks each, one after the other. */
export function evenPlaces(chunks: number): Places {
  return { first: (item) => item * chunks, end: (item) => (item + 1) * chunks };
}

/**
 * Places the items of an allgather with unequal shards. Every shard has C chunks, but larger shards have more items, so each shard's chunks
 * are divided as evenly as whole chunks allow; an item may be left without chunks.
 * @param origin the rank of each item, ascending
 * @param chunks C
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

/**
 * The C for which the items of every shard are equal numbers of chunks; a smaller C for which they are nearly so if that would exceed
 * `maxChunksPerShard`.
 */
export function chunksFor(shares: readonly SpreadingRoot[], itemsPerUnit: number): number {
  const items = shares.map(({ share }) => share * itemsPerUnit);
  const even = items.reduce(leastCommonMultiple, 1);
  if (even <= maxChunksPerShard) return even;
  const most = Math.max(...items);
  return most * Math.max(1, Math.floor(maxChunksPerShard / most));
}

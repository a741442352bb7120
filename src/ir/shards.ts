/**
 * Sizes of shards. By default all are M/N; with counts (allgatherv, alltoallv …) each shard has its own size. Counts define the proportions of M:
 * they are bytes if M equals their sum, and are scaled if a plan is evaluated for another M.
 */

import { type Collective, type CollectiveKind, chunksPerShard, collectiveFacts, messageChunks } from './collective.ts';
import { CccError } from './diagnostic.ts';
import { type Dtype, dtypeBytes } from './dtype.ts';
import { floatAt, itemAt } from './indexing.ts';
import { type Bytes, counted, noticeable } from './units.ts';

/** Number of counts that a collective takes: one per shard; 0 if it has no shards. */
export function countsRequired(kind: CollectiveKind, ranks: number): number {
  if (kind === 'alltoall') return ranks * ranks;
  return collectiveFacts[kind].sharded ? ranks : 0;
}

/**
 * M of a collective with these counts: their sum, for alltoall the largest buffer of a rank.
 * @throws CccError 'usage' for a collective without shards, 'range' for the wrong number of counts, or for one that is no
 * whole number of bytes
 */
export function messageBytes(kind: CollectiveKind, ranks: number, counts: readonly number[]): Bytes {
  const taken = countsRequired(kind, ranks);
  if (taken === 0) throw new CccError('usage', `${kind} has no shards, so there is nothing to give counts for`);
  if (counts.length !== taken) {
    const what = kind === 'alltoall' ? `${ranks} × ${ranks} counts, each rank's row in turn` : counted(taken, 'count');
    throw new CccError('range', `${kind} of ${counted(ranks, 'rank')} takes ${what}, not ${counts.length}`);
  }
  const wrong = counts.find((count) => !Number.isSafeInteger(count) || count < 0);
  if (wrong !== undefined) throw new CccError('range', `a count is a whole number of bytes, 0 or more, not ${wrong}`);
  if (kind !== 'alltoall') return counts.reduce((sum, count) => sum + count, 0);
  const sent = new Float64Array(ranks);
  const received = new Float64Array(ranks);
  counts.forEach((count, index) => {
    sent[Math.floor(index / ranks)] = floatAt(sent, Math.floor(index / ranks)) + count;
    received[index % ranks] = floatAt(received, index % ranks) + count;
  });
  return Math.max(...sent, ...received);
}

/**
 * For an alltoall in place: two ranks that do not send each other the same number of bytes, which is impossible since each shard must fit into the
 * memory of the one that it replaces; undefined if there are none.
 */
export function unequalSwap({ kind, ranks, counts, inPlace }: Collective): readonly [number, number] | undefined {
  if (kind !== 'alltoall' || !inPlace || counts === undefined) return undefined;
  for (let a = 0; a < ranks; a++) {
    for (let b = 0; b < a; b++) if (counts[a * ranks + b] !== counts[b * ranks + a]) return [b, a];
  }
  return undefined;
}

/** Refuses counts that do not fit the collective. */
export function checkShardCounts(collective: Collective): void {
  const { kind, ranks, counts } = collective;
  if (counts === undefined) return;
  messageBytes(kind, ranks, counts);
  const swap = unequalSwap(collective);
  if (swap === undefined) return;
  const [a, b] = swap;
  const message = `in place, ranks ${a} and ${b} must give each other the same number of bytes`;
  throw new CccError('usage', `${message}, not ${itemAt(counts, a * ranks + b)} and ${itemAt(counts, b * ranks + a)}`);
}

/** M rounded down to whole elements: the model accepts any number of bytes, but buffers hold whole elements. */
export function wholeElements(size: Bytes, dtype: Dtype): Bytes {
  return Math.floor(size / dtypeBytes[dtype]) * dtypeBytes[dtype];
}

/**
 * Refuses messages and shards that are not a whole number of elements. Elements need not divide evenly among ranks and chunks, since these may differ
 * in size.
 */
export function checkWholeElements(size: Bytes, dtype: Dtype, counts: readonly Bytes[] = []): void {
  const bytes = dtypeBytes[dtype];
  const elements = `no whole number of ${dtype} elements, which have ${bytes} bytes each`;
  const uneven = counts.find((count) => count % bytes !== 0);
  if (uneven !== undefined) {
    throw new CccError('range', `a shard of ${counted(uneven, 'byte')} is ${elements}; ${nearestSizes(uneven, bytes)}`);
  }
  if (size % bytes === 0) return;
  throw new CccError(
    'range',
    `${counted(size, 'byte')} ${size === 1 ? 'is' : 'are'} ${elements}; ${nearestSizes(size, bytes)}`,
  );
}

function nearestSizes(size: Bytes, bytes: Bytes): string {
  const below = Math.floor(size / bytes) * bytes;
  return `${below} and ${below + bytes} are`;
}

/** Bytes of each shard for a message of `size` bytes, in the order of `counts`; only for collectives with shards. */
export function shardBytes(collective: Collective, size: Bytes): Float64Array {
  const { kind, ranks, counts } = collective;
  if (counts === undefined) return new Float64Array(countsRequired(kind, ranks)).fill(size / ranks);
  const message = messageBytes(kind, ranks, counts);
  // Scaling by a factor of 1 is not exact in floating point.
  if (size === message) return Float64Array.from(counts);
  return Float64Array.from(counts, (count) => (message === 0 ? 0 : (count / message) * size));
}

/**
 * By shard, in the order of `counts`: the size of its chunks relative to the average chunk (M divided by `messageChunks`); undefined if all chunks
 * have the same size.
 */
export function chunkWeights(collective: Collective): Float64Array | undefined {
  if (collective.counts === undefined) return undefined;
  return shardBytes(collective, messageChunks(collective)).map((bytes) => bytes / collective.chunks);
}

/** The part of a plan that determines the size of its chunks. */
export interface Cuts {
  readonly collective: Collective;
  readonly bulks: number;
}

/**
 * Bytes of an average chunk of one bulk of a plan, for a message of `size` bytes. On machines whose messages are whole units of `alignment` bytes,
 * the chunks of a shard differ by at most one unit, and the size of the larger ones is returned.
 */
export function chunkBytesOf({ collective, bulks }: Cuts, size: Bytes, alignment?: Bytes): Bytes {
  return wholeUnits(size / messageChunks(collective) / bulks, alignment);
}

/** As `chunkWeights`, but relative to `chunkBytesOf` of the same plan. */
export function alignedWeights(cuts: Cuts, size: Bytes, alignment: Bytes): Float64Array | undefined {
  const { collective, bulks } = cuts;
  const average = chunkBytesOf(cuts, size, alignment);
  if (collective.counts === undefined || average === 0) return chunkWeights(collective);
  const parts = collective.chunks * bulks;
  return shardBytes(collective, size).map((bytes) => wholeUnits(bytes / parts, alignment) / average);
}

function wholeUnits(bytes: Bytes, alignment: Bytes | undefined): Bytes {
  return alignment === undefined ? bytes : Math.ceil(bytes / alignment - noticeable) * alignment;
}

/**
 * M and the counts rounded up to what messages of whole units can carry: each shard becomes a whole number of units, with at least one unit for each
 * of its chunks in every bulk. Empty shards remain empty.
 */
export function alignedMessage(
  { collective, bulks }: Cuts,
  size: Bytes,
  alignment: Bytes,
): { readonly size: Bytes; readonly counts: readonly Bytes[] | undefined } {
  const { kind, ranks, counts } = collective;
  const chunks = chunksPerShard(collective);
  const least = chunks * bulks * alignment;
  const padded = (bytes: Bytes): Bytes => (bytes === 0 ? 0 : Math.max(least, wholeUnits(bytes, alignment)));
  if (counts !== undefined) {
    const whole = Array.from(shardBytes(collective, size), padded);
    return { size: messageBytes(kind, ranks, whole), counts: whole };
  }
  const shards = messageChunks(collective) / chunks;
  return { size: padded(size / shards) * shards, counts };
}

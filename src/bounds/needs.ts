/**
 * What a collective forces to happen between chips whatever the plan: whose data must reach whom, and how many bytes
 * must cross from one part of the machine to another. A message carries values. Values of different chunks never merge;
 * values of the same chunk may merge by reduction, and one value can then stand for any number of contributions.
 */
import type { Collective } from '../ir/collective.ts';
import { messageChunks } from '../ir/collective.ts';
import { ranksWithResults, runsOfRank } from '../ir/custom-results.ts';
import { shardBytes } from '../ir/shards.ts';
import type { Bytes } from '../ir/units.ts';
import { multicastDemandsOf, wantedSlots } from './demands.ts';
import { spannedRanksOf } from './lengths/spans.ts';

/**
 * Whether the collective is the same for all ranks up to renumbering: each rank needs the same amount of data from
 * every other.
 */
export function treatsRanksAlike({ kind, counts }: Collective): boolean {
  return counts === undefined && (kind === 'allgather' || kind === 'reducescatter' || kind === 'allreduce');
}

/** `needs(from, to)`: does the result of rank `to` depend on the input of rank `from`? Not defined for equal ranks. */
export function dependence(collective: Collective): (from: number, to: number) => boolean {
  const { kind, root, counts } = collective;
  if (counts !== undefined) return (from, to) => shardsBetween(collective, from, to).some((shard) => counts[shard] > 0);
  switch (kind) {
    case 'allgather':
    case 'reducescatter':
    case 'allreduce':
    case 'alltoall':
    case 'barrier':
      return () => true;
    case 'broadcast':
    case 'scatter':
      return (from) => from === root;
    case 'reduce':
    case 'gather':
      return (_, to) => to === root;
    case 'scan':
    case 'exscan':
      return (from, to) => from < to;
    case 'custom': {
      const results = collective.custom?.results;
      const contributors = Array.from({ length: results === undefined ? 0 : ranksWithResults(results) }, (_, rank) => {
        const runs = results === undefined ? [] : [...runsOfRank(results, rank)];
        return new Set(runs.flatMap(({ parts }) => (parts ?? []).map((part) => part.rank)));
      });
      return (from, to) => contributors[to]?.has(from) ?? false;
    }
  }
}

/** The shards (indices of `counts`) of rank `to`'s result that depend on the input of rank `from`. */
function shardsBetween({ kind, ranks, root }: Collective, from: number, to: number): readonly number[] {
  switch (kind) {
    case 'allgather':
      return [from];
    case 'reducescatter':
      return [to];
    case 'scatter':
      return from === root ? [to] : [];
    case 'gather':
      return to === root ? [from] : [];
    case 'alltoall':
      return [from * ranks + to];
    default:
      return [];
  }
}

/**
 * Bytes of distinct values that depend on one of the `sources` and are needed by one of the `targets`, which are
 * disjoint sets. They must cross every cut with the sources inside and the targets outside.
 */
export function bytesBetween(
  collective: Collective,
  size: Bytes,
  sources: readonly number[],
  targets: readonly number[],
): Bytes {
  const { kind, ranks, root } = collective;
  if (sources.length === 0 || targets.length === 0) return 0;
  if (collective.counts !== undefined) return countedBytesBetween(collective, size, sources, targets);
  const shard = size / ranks;
  switch (kind) {
    case 'allgather':
      return sources.length * shard;
    case 'reducescatter':
      return targets.length * shard;
    case 'allreduce':
      return size;
    case 'broadcast':
      return sources.includes(root) ? size : 0;
    case 'reduce':
      return targets.includes(root) ? size : 0;
    case 'scatter':
      return sources.includes(root) ? targets.length * shard : 0;
    case 'gather':
      return targets.includes(root) ? sources.length * shard : 0;
    case 'alltoall':
      return sources.length * targets.length * shard;
    case 'scan':
    case 'exscan':
      return valuesOfScan(ranks, sources, targets) * size;
    case 'barrier':
      return 0;
    case 'custom':
      return (separateValues(collective, sources, targets) / messageChunks(collective)) * size;
  }
}

/** Each shard that a target needs from a source, counted once. */
function countedBytesBetween(
  collective: Collective,
  size: Bytes,
  sources: readonly number[],
  targets: readonly number[],
): Bytes {
  const bytes = shardBytes(collective, size);
  const crossing = new Set<number>();
  for (const from of sources) {
    for (const to of targets) {
      for (const shard of shardsBetween(collective, from, to)) crossing.add(shard);
    }
  }
  let total = 0;
  for (const shard of crossing) total += bytes[shard];
  return total;
}

/**
 * Values per byte that targets of a scan need from sources: one for every run of consecutive sources that some target
 * follows. A target after the run needs a value that contains its contributions, and such a value is useless to the
 * targets before it.
 */
function valuesOfScan(ranks: number, sources: readonly number[], targets: readonly number[]): number {
  const isSource = new Uint8Array(ranks);
  const isTarget = new Uint8Array(ranks);
  for (const rank of sources) isSource[rank] = 1;
  for (const rank of targets) isTarget[rank] = 1;
  let values = 0;
  for (let rank = 0, pending = false; rank < ranks; rank++) {
    if (isSource[rank] === 1) pending = true;
    if (isTarget[rank] === 0 || !pending) continue;
    values++;
    pending = false;
  }
  return values;
}

/**
 * Values that targets of a custom collective need from sources. A value that serves an output slot contains
 * contributions to that slot only, since nothing can be removed from a reduction. A slot with a contribution from a
 * source that contributes to none of the slots counted before therefore needs a further value. Slots are counted
 * greedily, those with the fewest contributions first.
 */
function separateValues({ custom }: Collective, sources: readonly number[], targets: readonly number[]): number {
  if (custom === undefined) return 0;
  const isSource = new Set(sources);
  const stride = 1 + custom.input.reduce((a, b) => Math.max(a, b), 0);
  const parts: number[][] = [];
  for (const target of targets) {
    for (const { contributions } of wantedSlots(custom, target)) {
      const part = contributions
        .filter(({ rank }) => isSource.has(rank))
        .map(({ rank, chunk }) => rank * stride + chunk);
      if (part.length > 0) parts.push(part);
    }
  }
  parts.sort((a, b) => a.length - b.length);
  const taken = new Set<number>();
  let values = 0;
  for (const part of parts) {
    if (part.every((contribution) => taken.has(contribution))) continue;
    for (const contribution of part) taken.add(contribution);
    values++;
  }
  return values;
}

/**
 * Bytes that any plan sends in messages between ranks in total; proved in message-count.ts, for custom collectives in
 * spans.ts.
 */
export function messageBytesInAll(collective: Collective, size: Bytes): Bytes {
  const { kind, ranks, root, counts } = collective;
  if (counts !== undefined) {
    const bytes = shardBytes(collective, size);
    const moved = (shard: number, times: number) => bytes[shard] * times;
    let total = 0;
    bytes.forEach((_, shard) => {
      if (kind === 'alltoall') total += Math.floor(shard / ranks) === shard % ranks ? 0 : moved(shard, 1);
      else if (kind === 'scatter' || kind === 'gather') total += shard === root ? 0 : moved(shard, 1);
      else total += moved(shard, ranks - 1);
    });
    return total;
  }
  switch (kind) {
    case 'allreduce':
      return 2 * (ranks - 1) * size;
    case 'allgather':
    case 'reducescatter':
    case 'broadcast':
    case 'reduce':
    case 'scan':
    case 'exscan':
    case 'alltoall':
      return (ranks - 1) * size;
    case 'scatter':
    case 'gather':
      return ((ranks - 1) / ranks) * size;
    case 'custom':
      return spannedRanksOf(collective).reduce((sum, span) => sum + (span.ranks.length - 1) * span.amount, 0) * size;
    default:
      return 0;
  }
}

/**
 * Bytes that must be reduced in total, where each reduction merges two values: a result of n contributions takes n − 1.
 * For scans only the last rank's result is counted, for custom collectives only results that share no contribution.
 */
export function bytesReduced(collective: Collective, size: Bytes): Bytes {
  const { kind, ranks } = collective;
  switch (kind) {
    case 'allreduce':
    case 'reduce':
    case 'reducescatter':
    case 'scan':
      return (ranks - 1) * size;
    case 'exscan':
      return Math.max(0, ranks - 2) * size;
    case 'custom':
      return (reductionsOf(collective) / messageChunks(collective)) * size;
    default:
      return 0;
  }
}

function reductionsOf(collective: Collective): number {
  return multicastDemandsOf(collective).reduce(
    (sum, { contributors, chunks }) => sum + (contributors.length - 1) * chunks,
    0,
  );
}

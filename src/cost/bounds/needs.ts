/**
 * What a collective forces to happen between chips, whatever the plan: whose data must reach whom, and how many bytes must
 * cross from one part of the chips to the other. A message carries values; values of different chunks never merge into one,
 * values of the same chunk may when they are reduced, and then one value can stand for any number of contributions.
 */
import type { Collective } from '../../ir/collective.ts';
import { messageChunks } from '../../ir/collective.ts';
import { shardBytes } from '../../ir/shards.ts';
import type { Bytes } from '../../ir/units.ts';

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
      const contributors = (collective.custom?.results ?? []).map(
        (slots) => new Set(slots.flatMap((slot) => (slot ?? []).map(({ rank }) => rank))),
      );
      return (from, to) => contributors[to]?.has(from) ?? false;
    }
  }
}

/** The shards (indices of `counts`) in which rank `to`'s result depends on the input of rank `from`. */
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

/** A part of the ranks, as the bound looks at it. */
export interface Part {
  readonly size: number;
  /** Least rank inside and greatest rank outside. */
  readonly leastInside: number;
  readonly greatestOutside: number;
  has(rank: number): boolean;
}

/** Bytes that must go from the ranks of `part` to the others, both being non-empty. */
export function bytesLeaving(collective: Collective, size: Bytes, part: Part): Bytes {
  const { kind, ranks, root } = collective;
  if (collective.counts !== undefined) return countedBytesLeaving(collective, size, part);
  const others = ranks - part.size;
  const shard = size / ranks;
  switch (kind) {
    case 'allgather':
      return part.size * shard;
    case 'reducescatter':
      return others * shard;
    case 'allreduce':
      return size;
    case 'broadcast':
      return part.has(root) ? size : 0;
    case 'reduce':
      return part.has(root) ? 0 : size;
    case 'scatter':
      return part.has(root) ? others * shard : 0;
    case 'gather':
      return part.has(root) ? 0 : part.size * shard;
    case 'alltoall':
      return part.size * others * shard;
    case 'scan':
    case 'exscan':
      return part.leastInside < part.greatestOutside ? size : 0;
    case 'barrier':
      return 0;
    case 'custom':
      return (copiedChunks(collective, part) / messageChunks(collective)) * size;
  }
}

/** Each shard that something outside needs from inside must cross once, wherever it is needed. */
function countedBytesLeaving(collective: Collective, size: Bytes, part: Part): Bytes {
  const bytes = shardBytes(collective, size);
  const crossing = new Set<number>();
  for (let from = 0; from < collective.ranks; from++) {
    if (!part.has(from)) continue;
    for (let to = 0; to < collective.ranks; to++) {
      if (!part.has(to)) for (const shard of shardsBetween(collective, from, to)) crossing.add(shard);
    }
  }
  let total = 0;
  for (const shard of crossing) total += bytes[shard];
  return total;
}

/** Distinct input chunks of the part that come out unreduced at ranks outside: each has to cross on its own. */
function copiedChunks(collective: Collective, part: Part): number {
  const results = collective.custom?.results ?? [];
  const crossing = new Set<string>();
  results.forEach((slots, rank) => {
    if (part.has(rank)) return;
    for (const slot of slots) {
      if (slot?.length === 1 && part.has(slot[0].rank)) crossing.add(`${slot[0].rank} ${slot[0].chunk}`);
    }
  });
  return crossing.size;
}

/**
 * Bytes that must be reduced in all, each reduction merging two values: a result of n contributions takes n − 1 of them.
 * Of scans only the last rank's result is counted, of custom collectives nothing.
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
    default:
      return 0;
  }
}

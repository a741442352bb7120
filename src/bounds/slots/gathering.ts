/**
 * Gathering bound: latency and bytes added up where shards gather at a rank (or, with time reversed, spread from it)
 * and every chip has slots (exclusive-slots.ts). The theorem is in certificates/gathering.ts, the proof in
 * docs/bounds.md. Rings and lines have a stronger bound (ring-flow.ts).
 */
import type { Certificate, Direction } from '../../ir/certificate.ts';
import type { Collective } from '../../ir/collective.ts';
import { shardBytes } from '../../ir/shards.ts';
import { type Bytes, formatBytes } from '../../ir/units.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { slotsOf } from './exclusive-slots.ts';

/** The data that gathers at one rank from the shards of others, or with time reversed spreads from it. */
export interface ShardGathering {
  readonly direction: Direction;
  readonly rank: number;
  /** W: its bytes. */
  readonly bytes: Bytes;
  /** W/m: its size in units of the largest shard. */
  readonly shards: number;
}

/**
 * All gatherings of a collective in which every chip starts or ends with one shard of the data; none for other
 * collectives.
 */
export function gatheringsOf(collective: Collective, size: Bytes): ShardGathering[] {
  const { kind, ranks, root } = collective;
  const everyone = Array.from({ length: ranks }, (_, rank) => rank);
  switch (kind) {
    case 'allgather':
      return everyone.map((rank) => gatheringAt(collective, size, rank, 'in'));
    case 'reducescatter':
      return everyone.map((rank) => gatheringAt(collective, size, rank, 'out'));
    case 'gather':
      return [gatheringAt(collective, size, root, 'in')];
    case 'scatter':
      return [gatheringAt(collective, size, root, 'out')];
    case 'alltoall':
      return everyone.flatMap((rank) => [
        gatheringAt(collective, size, rank, 'in'),
        gatheringAt(collective, size, rank, 'out'),
      ]);
    default:
      return [];
  }
}

function gatheringAt(collective: Collective, size: Bytes, rank: number, direction: Direction): ShardGathering {
  const { kind, ranks, counts } = collective;
  if (counts === undefined) {
    return { direction, rank, bytes: ((ranks - 1) / ranks) * size, shards: ranks - 1 };
  }
  const shards = shardBytes(collective, size);
  let bytes = 0;
  let largest = 0;
  for (let other = 0; other < ranks; other++) {
    if (other === rank) continue;
    const ofPair = direction === 'in' ? other * ranks + rank : rank * ranks + other;
    const shard = shards[kind === 'alltoall' ? ofPair : other];
    bytes += shard;
    largest = Math.max(largest, shard);
  }
  return { direction, rank, bytes, shards: largest === 0 ? 0 : bytes / largest };
}

export function gatheringBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  return bestByDirection(
    gatheringsOf(collective, size).flatMap(({ direction, rank, bytes, shards }): Certificate<'gathering'>[] => {
      const slots = slotsOf(facts, direction);
      if (slots === undefined || shards === 0) return [];
      const rounds = roundsToReach(1 + shards, slots.together / slots.slowest);
      const seconds = rounds * slots.latency + bytes / slots.together;
      const way = direction === 'in' ? 'receive' : 'send';
      const messages = rounds === 1 ? 'one message' : `${rounds} consecutive messages`;
      const reason = `rank ${rank} must ${way} ${formatBytes(bytes)}, and this takes at least ${messages}: their latencies add to the time of the bytes`;
      return [{ kind: 'gathering', seconds, reason, witness: { direction, rank } }];
    }),
  );
}

/** The best certificate of each direction; ties go to the first. */
export function bestByDirection<Kind extends 'gathering' | 'row'>(
  certificates: readonly Certificate<Kind>[],
): Certificate<Kind>[] {
  return ['in', 'out'].flatMap((direction) => {
    const those = certificates.filter(({ witness }) => witness.direction === direction);
    return those.length === 0 ? [] : [those.reduce((most, one) => (one.seconds > most.seconds ? one : most))];
  });
}

/** ⌈log₁₊ᵣ(times)⌉, safe against rounding errors: never one too large. */
export function roundsToReach(times: number, ratio: number): number {
  let rounds = 0;
  for (let reached = 1; reached < times * (1 - 1e-9); reached *= 1 + ratio) rounds++;
  return rounds;
}

/**
 * Staging bound: the time that a chip's copy engine needs to copy data into and out of the memory that links can
 * access. The theorem is in certificates/staging.ts.
 */
import type { Certificate } from '../ir/certificate.ts';
import type { Collective } from '../ir/collective.ts';
import { countsRequired, shardBytes } from '../ir/shards.ts';
import { type Bytes, formatBytes, formatBytesPerSecond, type Seconds } from '../ir/units.ts';
import type { MachineFacts } from './machine-facts.ts';

/** The certificate of the rank with the longest copies; none on machines that do not stage messages. */
export function stagingBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  const { topology } = facts;
  const { staging, chips, nodes } = topology;
  if (staging === undefined || collective.kind === 'custom' || collective.kind === 'barrier') return [];
  const sizes =
    countsRequired(collective.kind, collective.ranks) > 0 ? shardBytes(collective, size) : new Float64Array();
  let longest: { readonly rank: number; readonly seconds: Seconds; readonly bytes: Bytes } | undefined;
  for (const [rank, chip] of chips.entries()) {
    const { copy } = nodes[chip];
    if (copy === undefined) continue;
    const [into, outOf] = [bytesInto(collective, rank, size, sizes), bytesOutOf(collective, rank, size, sizes)];
    const bytes = copy.duplex === true ? Math.max(into, outOf) : into + outOf;
    const seconds = bytes / copy.throughput;
    if (seconds > (longest?.seconds ?? 0)) longest = { rank, seconds, bytes };
  }
  if (longest === undefined) return [];
  const { rank, seconds, bytes } = longest;
  const rate = formatBytesPerSecond(nodes[chips[rank]].copy?.throughput ?? 0);
  const reason = `rank ${rank} must copy ${formatBytes(bytes)} between its buffers and the memory that links can access, at ${rate}`;
  return [{ kind: 'staging', seconds, reason, witness: { rank } }];
}

/**
 * Bytes of a rank's input that are sent, or combined with other inputs.
 * @param sizes bytes of each shard
 */
function bytesInto({ kind, ranks, root }: Collective, rank: number, size: Bytes, sizes: Float64Array): Bytes {
  switch (kind) {
    case 'allgather':
      return sizes[rank];
    case 'gather':
      return rank === root ? 0 : sizes[rank];
    case 'scatter':
      return rank === root ? sum(sizes) - sizes[root] : 0;
    case 'alltoall':
      return sum(sizes.subarray(rank * ranks, (rank + 1) * ranks)) - sizes[rank * ranks + rank];
    case 'broadcast':
      return rank === root ? size : 0;
    case 'exscan':
      return rank === ranks - 1 ? 0 : size;
    default:
      return size;
  }
}

/** Bytes of a rank's output that it does not hold initially. */
function bytesOutOf(collective: Collective, rank: number, size: Bytes, sizes: Float64Array): Bytes {
  const { kind, ranks, root, inPlace } = collective;
  switch (kind) {
    case 'allgather':
      return sum(sizes) - (inPlace ? sizes[rank] : 0);
    case 'gather':
      return rank === root ? sum(sizes) - (inPlace ? sizes[rank] : 0) : 0;
    case 'scatter':
      return rank === root && inPlace ? 0 : sizes[rank];
    case 'reducescatter':
      return sizes[rank];
    case 'alltoall': {
      const column = sizes.filter((_, pair) => pair % ranks === rank);
      return sum(column) - (inPlace ? sizes[rank * ranks + rank] : 0);
    }
    case 'broadcast':
      return rank === root && inPlace ? 0 : size;
    case 'reduce':
      return rank === root ? size : 0;
    case 'scan':
      return rank === 0 && inPlace ? 0 : size;
    case 'exscan':
      return rank === 0 ? 0 : size;
    default:
      return size;
  }
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

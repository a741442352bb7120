/**
 * Messages in all. Of each byte, some number of messages between chips is needed whatever the plan, and all of them leave some
 * chip and enter some chip: with W bytes of messages in all, T ≥ α + W / Σβ over what all chips can send, and receive.
 *
 * - allreduce: 2(N − 1) per byte. When the first rank has the whole result, each of the others must have sent a message with its
 *   contribution, and none of them can have the result, so each must still receive one (the argument for gossiping one way:
 *   Harary and Schwenk, "The communication problem on graphs and digraphs", 1974).
 * - allgather, broadcast: each byte must enter N − 1 chips; reducescatter, reduce: each must leave N − 1 chips; scan: each enters
 *   all ranks but the first; scatter, gather, alltoall: each byte that changes rank takes one message.
 *
 * Where reduce engines do not overlap with links (`overlap: false`), a chip's links are idle while it reduces: a chip that reduces
 * for c seconds sends at most β·(T − α − c) bytes over a link, since in each stretch of time without a reduction the last message
 * pays its α. With R bytes to reduce in all (R ≤ Σ γ·c) and ρ the least ratio of a chip's bandwidth to its γ, summing over the
 * chips gives T ≥ α + (W + ρR) / Σβ.
 */
import type { Collective } from '../../ir/collective.ts';
import type { Certificate } from '../../ir/report.ts';
import { type Bytes, formatBytes, formatBytesPerSecond } from '../../ir/units.ts';
import type { MachineFacts } from './machine-facts.ts';
import { bytesReduced, messageBytesInAll } from './needs.ts';

export function messageCountBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  const bytes = messageBytesInAll(collective, size);
  if (bytes === 0) return [];
  const latency = facts.latencies.betweenAnyTwo();
  return (['out', 'in'] as const).flatMap((direction): Certificate[] => {
    const bandwidths = direction === 'out' ? facts.sends : facts.receives;
    const total = bandwidths.reduce((sum, bandwidth) => sum + bandwidth, 0);
    if (total === 0) return [];
    const reducing = exclusiveWork(collective, facts, size, bandwidths);
    const way = direction === 'out' ? 'leave the chips' : 'enter the chips';
    const besides = reducing === 0 ? '' : ', whose links are idle while they reduce';
    return [
      {
        kind: reducing === 0 ? 'bandwidth' : 'combined',
        seconds: latency + (bytes + reducing) / total,
        reason: `messages of ${formatBytes(bytes)} in all must ${way}${besides}, through ${formatBytesPerSecond(total)}`,
        witness: { direction },
      },
    ];
  });
}

/** ρR above, in bytes that could have been sent instead; 0 unless every chip stops its links while it reduces. */
function exclusiveWork(
  collective: Collective,
  { topology }: MachineFacts,
  size: Bytes,
  bandwidths: readonly number[],
): Bytes {
  let ratio = Number.POSITIVE_INFINITY;
  for (const [rank, chip] of topology.chips.entries()) {
    const { reduce } = topology.nodes[chip];
    if (reduce === undefined || reduce.overlap) return 0;
    ratio = Math.min(ratio, bandwidths[rank] / reduce.throughput);
  }
  return ratio * bytesReduced(collective, size);
}

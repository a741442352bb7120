/**
 * Messages in all. Of each byte, some number of messages between chips is needed whatever the plan, and all of them leave some
 * chip and enter some chip: with W bytes of messages in all, T ≥ α + W / Σβ over what all chips can send, and receive.
 *
 * - allreduce: 2(N − 1) per byte. When the first rank has the whole result, each of the others must have sent a message with its
 *   contribution, and none of them can have the result, so each must still receive one (the argument for gossiping one way:
 *   Harary and Schwenk, "The communication problem on graphs and digraphs", 1974).
 * - allgather, broadcast: each byte must enter N − 1 chips; reducescatter, reduce: each must leave N − 1 chips; scan: each enters
 *   all ranks but the first; scatter, gather, alltoall: each byte that changes rank takes one message.
 */

import type { Certificate } from '../../../ir/certificate.ts';
import type { Collective } from '../../../ir/collective.ts';
import { type Bytes, formatBytes, formatBytesPerSecond } from '../../../ir/units.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { messageBytesInAll } from '../needs.ts';

export function messageCountBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  const bytes = messageBytesInAll(collective, size);
  if (bytes === 0) return [];
  const latency = facts.latencies.betweenAnyTwo();
  return (['out', 'in'] as const).flatMap((direction): Certificate[] => {
    const bandwidths = direction === 'out' ? facts.sends : facts.receives;
    const total = bandwidths.reduce((sum, bandwidth) => sum + bandwidth, 0);
    if (total === 0) return [];
    const way = direction === 'out' ? 'leave the chips' : 'enter the chips';
    const reason = `messages of ${formatBytes(bytes)} in all must ${way}, through ${formatBytesPerSecond(total)}`;
    return [{ kind: 'messages', seconds: latency + bytes / total, reason, witness: { direction } }];
  });
}

/**
 * Message bound: every message leaves some chip and enters some chip. The theorem is in certificates/messages.ts, the
 * proof in docs/bounds.md, *Messages in all*.
 */
import type { Certificate } from '../../ir/certificate.ts';
import type { Collective } from '../../ir/collective.ts';
import { type Bytes, formatBytes, formatBytesPerSecond } from '../../ir/units.ts';
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
    const way = direction === 'out' ? 'send' : 'receive';
    const reason = `the chips must ${way} messages of ${formatBytes(bytes)} in total, at ${formatBytesPerSecond(total)} together`;
    return [{ kind: 'messages', seconds: latency + bytes / total, reason, witness: { direction } }];
  });
}

/**
 * Reduce where engines do not overlap with links (message-count.ts), with the root apart: it need not send anything, so of
 * the others' time Σβ′·(T − α), β′ what each of them can send, (N − 1)M bytes of messages are spent, and ρ′ bytes for each byte
 * that they reduce (ρ′ the least β′/γ among them). If the root reduces x bytes, it has received x, as each reduction takes in one
 * value more, so T − α ≥ x/B + x/γ with what it can receive, B; the others reduce (N − 1)M − x. Hence
 * T − α ≥ max(((N − 1)M(1 + ρ′) − ρ′x) / Σβ′, x·(1/B + 1/γ)) for some x: at least what both are where they are equal.
 */
import type { Collective } from '../../ir/collective.ts';
import type { Certificate } from '../../ir/report.ts';
import { type Bytes, formatBytes } from '../../ir/units.ts';
import type { MachineFacts } from './machine-facts.ts';

export function exclusiveReduceBounds(collective: Collective, facts: MachineFacts, size: Bytes): Certificate[] {
  const { kind, root, ranks } = collective;
  const { nodes, chips } = facts.topology;
  if (kind !== 'reduce' || size === 0) return [];
  let sending = 0;
  let ratio = Number.POSITIVE_INFINITY;
  let rootSeconds = 0;
  for (let rank = 0; rank < ranks; rank++) {
    const { reduce } = nodes[chips[rank]];
    if (reduce === undefined || reduce.overlap) return [];
    if (rank === root) {
      rootSeconds = 1 / facts.receives[rank] + 1 / reduce.throughput;
      continue;
    }
    sending += facts.sends[rank];
    ratio = Math.min(ratio, facts.sends[rank] / reduce.throughput);
  }
  const bytes = (ranks - 1) * size;
  const atRoot = Math.min(bytes, (bytes * (1 + ratio)) / (sending * rootSeconds + ratio));
  const seconds = facts.latencies.betweenAnyTwo() + (bytes * (1 + ratio) - ratio * atRoot) / sending;
  const reason = `${formatBytes(bytes)} must be sent by ranks other than ${root} and be reduced, by them or by it, while links are idle`;
  return [{ kind: 'combined', seconds, reason, witness: { reduceAt: root } }];
}

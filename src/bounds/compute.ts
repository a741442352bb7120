/**
 * Compute bound: the reductions that every plan must perform, distributed over the chips' reduce engines, each of which
 * can start only once data has reached it. The theorem is in certificates/reductions.ts, the proof in docs/bounds.md.
 */
import type { Certificate } from '../ir/certificate.ts';
import type { Collective } from '../ir/collective.ts';
import { type Bytes, formatBytes, formatBytesPerSecond } from '../ir/units.ts';
import type { MachineFacts } from './machine-facts.ts';
import { bytesReduced } from './needs.ts';
import { timeToFill } from './time-to-fill.ts';

/** Returns no certificate if some chip has no reduce engine: the time model then reduces for free on that chip. */
export function computeBound(
  collective: Collective,
  { topology, nearestOther }: MachineFacts,
  size: Bytes,
): Certificate[] {
  const bytes = bytesReduced(collective, size);
  const engines = topology.chips.map((chip, rank) => {
    return { rate: topology.nodes[chip].reduce?.throughput ?? Number.POSITIVE_INFINITY, idle: nearestOther[rank] };
  });
  const throughput = engines.reduce((sum, { rate }) => sum + rate, 0);
  if (bytes === 0 || !Number.isFinite(throughput)) return [];
  const reason = `${formatBytes(bytes)} must be reduced in total, after the first data has arrived, and all reduce engines together reduce ${formatBytesPerSecond(throughput)}`;
  return [{ kind: 'reductions', seconds: timeToFill(engines, bytes), reason, witness: {} }];
}

/** Compute: the reductions that any plan has to do, shared as evenly as the engines allow. */
import type { Collective } from '../../ir/collective.ts';
import type { Certificate } from '../../ir/report.ts';
import type { Topology } from '../../ir/topology.ts';
import { type Bytes, formatBytes, formatBytesPerSecond } from '../../ir/units.ts';
import { bytesReduced } from './needs.ts';

/** Nothing when some chip has no reduce engine: it reduces for free in the model. */
export function computeBound(collective: Collective, topology: Topology, size: Bytes): Certificate[] {
  const bytes = bytesReduced(collective, size);
  let throughput = 0;
  for (const chip of topology.chips) throughput += topology.nodes[chip].reduce?.throughput ?? Number.POSITIVE_INFINITY;
  if (bytes === 0 || !Number.isFinite(throughput)) return [];
  const reason = `${formatBytes(bytes)} must be reduced in all, and the engines together reduce ${formatBytesPerSecond(throughput)}`;
  return [{ kind: 'compute', seconds: bytes / throughput, reason, witness: { bytes } }];
}

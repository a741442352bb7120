import { machineFacts } from '../bounds/machine-facts.ts';
import type { Topology } from '../ir/topology.ts';
import type { Bytes } from '../ir/units.ts';

/**
 * Whether a message is short: every link carries all of it in less time than a message takes to arrive. Dividing it
 * among links then gains less than the additional messages cost.
 */
export function isShort(size: Bytes, topology: Topology): boolean {
  const soonest = machineFacts(topology).latencies.betweenAnyTwo();
  return topology.links.every(({ bandwidth }) => size < soonest * bandwidth);
}

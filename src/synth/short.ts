import { machineFacts } from '../bounds/machine-facts.ts';
import type { Topology } from '../ir/topology.ts';
import type { Bytes } from '../ir/units.ts';

/** Whether every link carries all of a vector sooner than a message arrives: dividing it among links gains less than the messages cost that bring it together again. */
export function isShort(size: Bytes, topology: Topology): boolean {
  const soonest = machineFacts(topology).latencies.betweenAnyTwo();
  return topology.links.every(({ bandwidth }) => size < soonest * bandwidth);
}

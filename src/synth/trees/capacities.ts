/** A machine as a matrix of whole capacities, chips first, as splitting and packing need it. */
import { machineNetwork } from '../../cost/index.ts';
import type { Topology } from '../../ir/topology.ts';

export interface CapacityGraph {
  /** Nodes of all kinds. */
  readonly nodes: number;
  /** N; node r < N is the memory of rank r, all others only pass data on. */
  readonly chips: number;
  /** `capacity[from · nodes + to]`, whole numbers; parallel links added up. */
  readonly capacity: Float64Array;
}

/** A machine's links and ports in a unit of which all are whole multiples, or nearly so (see `machineNetwork`). */
export function capacitiesOf(topology: Topology): CapacityGraph {
  const { nodes, memories, arcs } = machineNetwork(topology);
  const chips = memories.length;
  const numberOf = new Int32Array(nodes).fill(-1);
  for (const [rank, memory] of memories.entries()) numberOf[memory] = rank;
  let next = chips;
  for (let node = 0; node < nodes; node++) if (numberOf[node] === -1) numberOf[node] = next++;
  const capacity = new Float64Array(nodes * nodes);
  for (const arc of arcs) {
    if (arc.from !== arc.to) capacity[numberOf[arc.from] * nodes + numberOf[arc.to]] += arc.capacity;
  }
  return { nodes, chips, capacity };
}

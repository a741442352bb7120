/** A machine as a matrix of integer capacities, chips first, the input of switch removal and packing. */
import { machineNetwork } from '../../bounds/index.ts';
import type { Topology } from '../../ir/topology.ts';

export interface CapacityGraph {
  /** Nodes of all kinds. */
  readonly nodes: number;
  /** N; node r < N is the memory of rank r, all others only forward data. */
  readonly chips: number;
  /** `capacity[from · nodes + to]`, integers; parallel links are summed. */
  readonly capacity: Float64Array;
  /**
   * If there are switches: the least latency between any two nodes in seconds, where ties are broken in favour of fewer
   * links.
   */
  readonly distance: Float64Array;
}

/** Tie-breaking cost of a link in seconds: less than any latency that matters, and much more than rounding errors. */
const perLink = 1e-12;

/** The links and ports of a machine in a unit of which all are (nearly) multiples (see `machineNetwork`). */
export function capacitiesOf(topology: Topology): CapacityGraph {
  const { nodes, memories, arcs } = machineNetwork(topology);
  const chips = memories.length;
  const numberOf = new Int32Array(nodes).fill(-1);
  for (const [rank, memory] of memories.entries()) numberOf[memory] = rank;
  let next = chips;
  for (let node = 0; node < nodes; node++) if (numberOf[node] === -1) numberOf[node] = next++;
  const capacity = new Float64Array(nodes * nodes);
  const distance = new Float64Array(nodes * nodes).fill(Number.POSITIVE_INFINITY);
  for (const arc of arcs) {
    const edge = numberOf[arc.from] * nodes + numberOf[arc.to];
    if (arc.from !== arc.to) capacity[edge] += arc.capacity;
    const latency = arc.link === -1 ? 0 : topology.links[arc.link].latency + perLink;
    distance[edge] = Math.min(distance[edge], latency);
  }
  // Distances tell which routes over switches are detours.
  if (nodes > chips) shortenWays(distance, nodes);
  return { nodes, chips, capacity, distance };
}

/** All-pairs shortest paths (Floyd 1962, Warshall 1962). */
function shortenWays(distance: Float64Array, nodes: number): void {
  for (let node = 0; node < nodes; node++) distance[node * nodes + node] = 0;
  for (let via = 0; via < nodes; via++) {
    for (let from = 0; from < nodes; from++) {
      const first = distance[from * nodes + via];
      if (first === Number.POSITIVE_INFINITY) continue;
      for (let to = 0; to < nodes; to++) {
        const both = first + distance[via * nodes + to];
        if (both < distance[from * nodes + to]) distance[from * nodes + to] = both;
      }
    }
  }
}

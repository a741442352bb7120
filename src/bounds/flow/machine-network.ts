/**
 * A machine as a flow network with integer capacities. Every node of the machine is a router. A chip with fewer ports
 * than links has a separate memory node: what it sends passes an arc from memory to router, what it receives the
 * reverse arc, and what only passes through uses neither (cut-through routes occupy no ports). A chip with P send ports
 * uses at most P links at a time, and a message occupies a port for at least as long as its bytes take on its first
 * link. In T seconds the chip thus sends at most T times the sum of its P fastest links, which is the capacity of the
 * arc.
 */

import { unlimited } from '../../graph/max-flow.ts';
import { ranksOf, type Topology } from '../../ir/topology.ts';
import type { BytesPerSecond } from '../../ir/units.ts';
import { greatestCommonDivisor } from '../../ir/whole-numbers.ts';

/** A link of the machine, or the ports of one chip. */
export interface MachineArc {
  readonly from: number;
  readonly to: number;
  /** In multiples of `unit`. */
  readonly capacity: number;
  /** Link index; −1 for the ports of a chip. */
  readonly link: number;
}

export interface MachineNetwork {
  /** Number of nodes: first the routers, numbered as the machine's nodes, then the separate memories. */
  readonly nodes: number;
  /** `memories[rank]`: the node that holds the rank's data; the chip itself unless it has fewer ports than links. */
  readonly memories: readonly number[];
  readonly arcs: readonly MachineArc[];
  /** Bytes per second of one unit of capacity. */
  readonly unit: BytesPerSecond;
  /** False when bandwidths had to be rounded (upwards) to whole units. */
  readonly exact: boolean;
}

/**
 * Builds the network of a machine. Capacities are integers small enough that the number of ranks times their sum stays
 * below 2^52. Bandwidths in whole bytes per second are divided by their greatest common divisor; if they are not whole
 * or the sum would be too large, they are rounded up to a coarser unit (`exact: false`), by less than 1 part in 10^8 on
 * machines of up to a thousand ranks. Rounding up keeps lower bounds valid.
 */
export function machineNetwork(topology: Topology): MachineNetwork {
  const arcs = topology.links.map(({ from, to, bandwidth }, link) => ({ from, to, bandwidth, link }));
  let nodes = topology.nodes.length;
  const leaving = bandwidthsByNode(topology, 'from');
  const entering = bandwidthsByNode(topology, 'to');
  const memories = topology.chips.map((chip) => {
    const { send, receive } = topology.nodes[chip].ports;
    if (leaving[chip].length <= send && entering[chip].length <= receive) return chip;
    const memory = nodes++;
    arcs.push({ from: memory, to: chip, bandwidth: fastest(leaving[chip], send), link: -1 });
    arcs.push({ from: chip, to: memory, bandwidth: fastest(entering[chip], receive), link: -1 });
    return memory;
  });
  const bandwidths = arcs.map(({ bandwidth }) => bandwidth);
  const sum = bandwidths.reduce((total, bandwidth) => total + bandwidth, 0);
  const divisor = bandwidths.every(Number.isSafeInteger) ? bandwidths.reduce(greatestCommonDivisor, 0) : 0;
  const exact = divisor > 0 && (ranksOf(topology) * sum) / divisor < unlimited;
  // Rounding up adds at most one unit to each arc.
  const unit = exact ? divisor : sum / (unlimited / ranksOf(topology) / 2);
  const whole = (bandwidth: BytesPerSecond) => (exact ? bandwidth / unit : Math.ceil(bandwidth / unit));
  return {
    nodes,
    memories,
    arcs: arcs.map(({ from, to, bandwidth, link }) => ({ from, to, capacity: whole(bandwidth), link })),
    unit,
    exact,
  };
}

/** By node, the bandwidths of the links that leave it (`from`) or enter it (`to`). */
function bandwidthsByNode(topology: Topology, end: 'from' | 'to'): BytesPerSecond[][] {
  const bandwidths: BytesPerSecond[][] = topology.nodes.map(() => []);
  for (const link of topology.links) bandwidths[link[end]].push(link.bandwidth);
  return bandwidths;
}

/** The sum of the P largest bandwidths. */
function fastest(bandwidths: readonly BytesPerSecond[], ports: number): BytesPerSecond {
  const descending = [...bandwidths].sort((a, b) => b - a);
  return descending.slice(0, ports).reduce((sum, bandwidth) => sum + bandwidth, 0);
}

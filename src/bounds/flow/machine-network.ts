/**
 * A machine as a network of whole capacities. Every node of the machine is a router; a chip whose ports are fewer than its links
 * has its memory apart from its router: what it sends itself passes the arc from memory to router, what it receives the arc back,
 * and what only passes through (cut-through routes hold no ports) neither. A chip with P send ports sends through P links at a
 * time; a message holds a port at least as long as its bytes take on its first link, so in T seconds it sends at most
 * T times the sum of its P fastest links: that sum is the capacity of the arc.
 */

import { unlimited } from '../../graph/max-flow.ts';
import { ranksOf, type Topology } from '../../ir/topology.ts';
import type { BytesPerSecond } from '../../ir/units.ts';
import { greatestCommonDivisor } from '../../ir/whole-numbers.ts';

/** A link of the machine, or what the ports of one chip let through. */
export interface MachineArc {
  readonly from: number;
  readonly to: number;
  /** In units of the network. */
  readonly capacity: number;
  /** Link index; −1 for the ports of a chip. */
  readonly link: number;
}

export interface MachineNetwork {
  /** Routers first (numbered as the machine's nodes), then memories that are apart from theirs. */
  readonly nodes: number;
  /** `memories[rank]`: the node that holds the rank's data; the chip itself unless its ports are scarce. */
  readonly memories: readonly number[];
  readonly arcs: readonly MachineArc[];
  /** Bytes per second of one unit of capacity. */
  readonly unit: BytesPerSecond;
  /** False when bandwidths had to be rounded (upwards) to whole units. */
  readonly exact: boolean;
}

/**
 * The network of a machine. Capacities are whole, and so small that the number of ranks times the sum of all of them stays
 * below 2^52. Bandwidths that are whole bytes per second are divided by their greatest common divisor; where they are not, or
 * where the sum would be too large, they are rounded up to a coarser unit (`exact: false`), by less than 1 part in 10^8 for
 * machines of up to a thousand ranks.
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

/** Of each node, the bandwidths of the links that leave it or enter it. */
function bandwidthsByNode(topology: Topology, end: 'from' | 'to'): BytesPerSecond[][] {
  const bandwidths: BytesPerSecond[][] = topology.nodes.map(() => []);
  for (const link of topology.links) bandwidths[link[end]].push(link.bandwidth);
  return bandwidths;
}

/** The sum of the P fastest. */
function fastest(bandwidths: readonly BytesPerSecond[], ports: number): BytesPerSecond {
  const descending = [...bandwidths].sort((a, b) => b - a);
  return descending.slice(0, ports).reduce((sum, bandwidth) => sum + bandwidth, 0);
}

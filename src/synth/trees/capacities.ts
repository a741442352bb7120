/**
 * A machine as a directed graph with whole capacities, as the packing of trees needs it: chips, and what only passes data
 * on (switches, hosts, and the ports of chips that have fewer of them than links).
 */
import type { Topology } from '../../ir/topology.ts';
import { greatestCommonDivisor } from '../../ir/whole-numbers.ts';

/** Capacities between nodes, parallel links added up. The first `chips` nodes are the ranks in order. */
export interface CapacityGraph {
  /** Nodes of all kinds. */
  readonly nodes: number;
  /** N; node r < N is rank r, all others only pass data on. */
  readonly chips: number;
  /** `capacity[from · nodes + to]`, whole numbers. */
  readonly capacity: Float64Array;
}

/** A graph whose capacity 1 stands for `unit` bytes per second. */
export interface MeasuredGraph {
  readonly graph: CapacityGraph;
  readonly unit: number;
}

/** Capacities up to this keep every sum and product of the searches exact. */
const largestCapacity = 2 ** 30;

/**
 * The machine's capacities in the largest unit of which all bandwidths are whole multiples; bandwidths too different for
 * that are rounded down to 2⁻³⁰ of the largest.
 */
export function capacitiesOf(topology: Topology): MeasuredGraph {
  const rankOf = new Map(topology.chips.map((chip, rank) => [chip, rank]));
  const chips = topology.chips.length;
  let nodes = chips;
  const numberOf = topology.nodes.map((_, node) => rankOf.get(node) ?? nodes++);
  const arcs = topology.links.map(({ from, to, bandwidth }) => ({ from: numberOf[from], to: numberOf[to], bandwidth }));
  for (const rank of topology.chips.keys()) {
    const { send, receive } = topology.nodes[topology.chips[rank]].ports;
    nodes += narrow(arcs, 'from', rank, send, nodes);
    nodes += narrow(arcs, 'to', rank, receive, nodes);
  }
  const { unit, capacities } = wholeCapacities(arcs.map(({ bandwidth }) => bandwidth));
  const capacity = new Float64Array(nodes * nodes);
  arcs.forEach(({ from, to }, index) => {
    if (from !== to) capacity[from * nodes + to] += capacities[index];
  });
  return { graph: { nodes, chips, capacity }, unit };
}

interface Arc {
  from: number;
  to: number;
  bandwidth: number;
}

/**
 * A chip with fewer ports than links moves its links to a node of its own, which it reaches at the bandwidth of as many
 * of the fastest links as it has ports. Returns how many nodes were added.
 */
function narrow(arcs: Arc[], end: 'from' | 'to', rank: number, ports: number, next: number): number {
  const own = arcs.filter((arc) => arc[end] === rank);
  if (own.length <= ports) return 0;
  const bandwidths = own.map(({ bandwidth }) => bandwidth).sort((a, b) => b - a);
  const bandwidth = bandwidths.slice(0, ports).reduce((sum, each) => sum + each, 0);
  for (const arc of own) arc[end] = next;
  arcs.push(end === 'from' ? { from: rank, to: next, bandwidth } : { from: next, to: rank, bandwidth });
  return 1;
}

function wholeCapacities(bandwidths: readonly number[]): { unit: number; capacities: number[] } {
  const finite = bandwidths.filter(Number.isFinite);
  const sum = finite.reduce((total, bandwidth) => total + bandwidth, 0);
  const limited = bandwidths.map((bandwidth) => (Number.isFinite(bandwidth) ? bandwidth : Math.max(1, sum)));
  const largest = limited.reduce((most, bandwidth) => Math.max(most, bandwidth), 0);
  if (limited.every(Number.isSafeInteger)) {
    const unit = limited.reduce(greatestCommonDivisor, 0);
    if (largest / unit <= largestCapacity) return { unit, capacities: limited.map((bandwidth) => bandwidth / unit) };
  }
  const unit = largest / largestCapacity;
  return { unit, capacities: limited.map((bandwidth) => Math.max(1, Math.floor(bandwidth / unit))) };
}

/**
 * How fast roots can spread data of their own to all chips at once. By Edmonds' theorem ("Edge-disjoint branchings", 1973)
 * and its form for many roots (Bérczi and Frank 2010) packed trees reach what the tightest cut allows.
 */
import { FlowNetwork, tightestCut } from '../../cost/index.ts';
import type { ShouldStop } from '../../ir/effort.ts';
import type { Topology } from '../../ir/topology.ts';
import { greatestCommonDivisor } from '../../ir/whole-numbers.ts';
import { perOperation } from '../limits.ts';
import type { Root } from '../shares.ts';
import type { CapacityGraph } from './capacities.ts';

/** `amount` units of capacity for `roots` units of what roots have to spread (see shares.ts), in lowest terms. */
export interface Rate {
  readonly amount: number;
  readonly roots: number;
}

/** The greatest rate of each rank when all of them spread as much data; amount 0 where some rank does not reach all others. */
export function rateOfAll(topology: Topology, shouldStop?: () => boolean): Rate {
  const { bandwidth, chips } = tightestCut(topology, shouldStop === undefined ? {} : { shouldStop });
  const common = greatestCommonDivisor(bandwidth, chips);
  return bandwidth === 0 ? { amount: 0, roots: 1 } : { amount: bandwidth / common, roots: chips / common };
}

/** The greatest rate of one root: the least maximum flow to another rank. */
export function rateOfOne(graph: CapacityGraph, root: number): Rate {
  const network = networkOf(graph);
  let amount = Number.POSITIVE_INFINITY;
  for (let sink = 0; sink < graph.chips; sink++) {
    if (sink !== root) amount = network.maxFlow(root, sink, amount);
  }
  return { amount, roots: 1 };
}

/**
 * The greatest rate per unit when roots have different shares: as the tightest cut is found (Dinkelbach 1967), from the chip
 * that gets least for what it lacks; a chip that cannot get everything at that rate shows a tighter cut.
 */
export function rateOfShares(graph: CapacityGraph, roots: readonly Root[], shouldStop?: () => boolean): Rate {
  let rate = rateAroundOneChip(graph, roots);
  for (let sink = 0; sink < graph.chips && rate.amount > 0 && shouldStop?.() !== true; ) {
    const capacity = graph.capacity.map((amount) => amount * rate.roots);
    const network = networkOf({ ...graph, capacity });
    const wanted = feed(network, graph, roots, rate.amount);
    if (network.maxFlow(graph.nodes, sink, wanted) >= wanted) {
      sink++;
      continue;
    }
    const tighter = rateOut(graph, roots, network.sourceSide());
    // Only capacities so large that sums are rounded can stand in the way.
    if (tighter.amount / tighter.roots >= rate.amount / rate.roots) break;
    rate = tighter;
  }
  return rate;
}

function rateAroundOneChip(graph: CapacityGraph, roots: readonly Root[]): Rate {
  const around = Array.from({ length: graph.chips }, (_, chip) => {
    const inside = new Uint8Array(graph.nodes).fill(1);
    inside[chip] = 0;
    return inside;
  });
  const rates = around.map((inside) => rateOut(graph, roots, inside)).filter((rate) => rate.roots > 0);
  return rates.reduce((least, rate) => (rate.amount / rate.roots < least.amount / least.roots ? rate : least));
}

/** What leaves a set of nodes for each unit of the roots inside. */
function rateOut({ nodes, capacity }: CapacityGraph, roots: readonly Root[], inside: Uint8Array): Rate {
  const amount = capacity.reduce((sum, each, edge) => {
    return inside[Math.floor(edge / nodes)] === 1 && inside[edge % nodes] === 0 ? sum + each : sum;
  }, 0);
  const shares = sumOf(roots.filter(({ rank }) => inside[rank] === 1));
  const common = greatestCommonDivisor(amount, shares);
  return { amount: amount / common, roots: shares / common };
}

/** Whether every chip can get all of it when every root has so many trees for each unit of its share. */
export function canSpread(
  graph: CapacityGraph,
  roots: readonly Root[],
  trees: number,
  shouldStop?: ShouldStop,
): boolean {
  const network = networkOf(graph);
  const wanted = feed(network, graph, roots, trees);
  let canAll = network.maxFlow(graph.nodes, 0, wanted) >= wanted;
  // What one chip gets can go on to the next: only what is lacking there is looked for.
  for (let sink = 1; canAll && sink < graph.chips; sink++) canAll = network.moreFlow(sink - 1, sink, wanted) >= wanted;
  shouldStop?.((network.work + graph.capacity.length) / perOperation.arcsOfFlows);
  return canAll;
}

/** How much the chip that gets least lacks, when every root has so many trees for each unit; 0 if all get everything. */
export function greatestDeficit(
  graph: CapacityGraph,
  roots: readonly Root[],
  trees: number,
  shouldStop?: ShouldStop,
): number {
  const network = networkOf(graph);
  const wanted = feed(network, graph, roots, trees);
  let gets = network.maxFlow(graph.nodes, 0, wanted);
  let deficit = wanted - gets;
  for (let sink = 1; sink < graph.chips; sink++) {
    // What one chip gets goes on to the next as far as it can, and the rest back to where it came from: only what is lacking is looked for.
    const passedOn = network.moreFlow(sink - 1, sink, gets);
    network.moreFlow(sink - 1, graph.nodes, gets - passedOn);
    gets = passedOn + network.moreFlow(graph.nodes, sink, wanted - passedOn);
    deficit = Math.max(deficit, wanted - gets);
  }
  shouldStop?.((network.work + graph.capacity.length) / perOperation.arcsOfFlows);
  return deficit;
}

/** Lets the source give every root its trees, and says how many these are. */
function feed(network: FlowNetwork, { nodes }: CapacityGraph, roots: readonly Root[], trees: number): number {
  for (const { rank, share } of roots) network.add(nodes, rank, share * trees);
  return sumOf(roots) * trees;
}

function sumOf(roots: readonly Root[]): number {
  return roots.reduce((sum, { share }) => sum + share, 0);
}

/** The graph with one more node, its last, for a source. Both ways between two nodes are one pair of arcs: half as many to look at. */
function networkOf({ nodes, capacity }: CapacityGraph): FlowNetwork {
  const network = new FlowNetwork(nodes + 1);
  for (let from = 0; from < nodes; from++) {
    for (let to = from + 1; to < nodes; to++) {
      const [there, back] = [capacity[from * nodes + to], capacity[to * nodes + from]];
      if (there > 0 || back > 0) network.add(from, to, there, back);
    }
  }
  return network;
}

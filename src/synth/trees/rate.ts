/**
 * How fast roots can spread data of their own to all chips at once. By Edmonds' theorem ("Edge-disjoint branchings", 1973)
 * and its form for many roots (Bérczi and Frank 2010) packed trees reach what the tightest cut allows.
 */
import { FlowNetwork, tightestCut } from '../../cost/index.ts';
import type { Topology } from '../../ir/topology.ts';
import { greatestCommonDivisor } from '../../ir/whole-numbers.ts';
import type { CapacityGraph } from './capacities.ts';

/** `amount` units of capacity shared by `roots` roots, in lowest terms. */
export interface Rate {
  readonly amount: number;
  readonly roots: number;
}

/** The greatest rate of each rank when all of them spread data; amount 0 where some rank does not reach all others. */
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

/** Whether every chip can get all of it when every root has so many units to spread. */
export function canSpread(graph: CapacityGraph, roots: readonly number[], trees: number): boolean {
  const network = networkOf(graph);
  for (const root of roots) network.add(graph.nodes, root, trees);
  const wanted = roots.length * trees;
  if (network.maxFlow(graph.nodes, 0, wanted) < wanted) return false;
  // What one chip gets can go on to the next: only what is lacking there is looked for.
  for (let sink = 1; sink < graph.chips; sink++) if (network.moreFlow(sink - 1, sink, wanted) < wanted) return false;
  return true;
}

/** How much the chip that gets least lacks, when every root has so many units to spread; 0 if all get everything. */
export function greatestDeficit(graph: CapacityGraph, roots: readonly number[], trees: number): number {
  const network = networkOf(graph);
  for (const root of roots) network.add(graph.nodes, root, trees);
  const wanted = roots.length * trees;
  let deficit = 0;
  for (let sink = 0; sink < graph.chips; sink++) {
    deficit = Math.max(deficit, wanted - network.maxFlow(graph.nodes, sink, wanted));
  }
  return deficit;
}

/** The graph with one more node, its last, for a source. */
function networkOf({ nodes, capacity }: CapacityGraph): FlowNetwork {
  const network = new FlowNetwork(nodes + 1);
  for (let from = 0; from < nodes; from++) {
    for (let to = 0; to < nodes; to++) {
      const amount = capacity[from * nodes + to];
      if (amount > 0) network.add(from, to, amount);
    }
  }
  return network;
}

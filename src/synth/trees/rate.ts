/**
 * How fast every root can spread data of its own to all chips at once. By Edmonds' theorem ("Edge-disjoint branchings",
 * 1973) and its form for many roots (Bérczi and Frank 2010) that is what the tightest cut allows: the least, over sets of
 * nodes S that leave a chip out, of the capacity out of S per root in S.
 */
import { FlowNetwork, unlimited } from '../../cost/index.ts';
import { greatestCommonDivisor } from '../../ir/whole-numbers.ts';
import type { CapacityGraph } from './capacities.ts';

/** `amount` units of capacity shared by `roots` roots, in lowest terms. */
export interface Rate {
  readonly amount: number;
  readonly roots: number;
}

/**
 * The greatest rate per root, exactly; its amount is 0 where a root does not reach every chip. Each violated flow gives a
 * tighter cut, and its ratio is the next rate tried (Dinkelbach 1967), so that the search ends at a cut, not near one.
 */
export function spreadingRate(graph: CapacityGraph, roots: readonly number[]): Rate {
  let rate = inflowRate(graph, roots);
  while (rate.amount > 0) {
    const tighter = tighterCut(graph, roots, rate);
    if (tighter === undefined) break;
    rate = tighter;
  }
  return rate;
}

/** What flows into single chips allows. */
function inflowRate({ nodes, chips, capacity }: CapacityGraph, roots: readonly number[]): Rate {
  let best: Rate = { amount: unlimited, roots: 1 };
  for (let chip = 0; chip < chips; chip++) {
    let inflow = 0;
    for (let from = 0; from < nodes; from++) inflow += capacity[from * nodes + chip];
    const others = roots.includes(chip) ? roots.length - 1 : roots.length;
    if (others > 0 && inflow * best.roots < best.amount * others) best = { amount: inflow, roots: others };
  }
  return lowestTerms(best);
}

/** A cut that keeps some chip from getting the rate from every root, if there is one. */
function tighterCut(graph: CapacityGraph, roots: readonly number[], rate: Rate): Rate | undefined {
  const network = networkOf(graph, rate.roots);
  for (const root of roots) network.add(graph.nodes, root, rate.amount);
  const wanted = roots.length * rate.amount;
  for (let sink = 0; sink < graph.chips; sink++) {
    if (network.maxFlow(graph.nodes, sink, wanted) >= wanted) continue;
    const inside = network.sourceSide();
    const shared = roots.filter((root) => inside[root] === 1).length;
    return lowestTerms({ amount: capacityOut(graph, inside), roots: shared });
  }
  return undefined;
}

function capacityOut({ nodes, capacity }: CapacityGraph, inside: Uint8Array): number {
  let amount = 0;
  for (let from = 0; from < nodes; from++) {
    if (inside[from] === 0) continue;
    for (let to = 0; to < nodes; to++) if (inside[to] === 0) amount += capacity[from * nodes + to];
  }
  return amount;
}

/** The graph with one more node, its last, for a source; capacities times a factor. */
export function networkOf({ nodes, capacity }: CapacityGraph, factor = 1): FlowNetwork {
  const network = new FlowNetwork(nodes + 1);
  for (let from = 0; from < nodes; from++) {
    for (let to = 0; to < nodes; to++) {
      const amount = capacity[from * nodes + to];
      if (amount > 0) network.add(from, to, amount * factor);
    }
  }
  return network;
}

/** How much the chip that gets least lacks, when every root has `trees` units to spread; 0 if all get everything. */
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

function lowestTerms({ amount, roots }: Rate): Rate {
  const common = greatestCommonDivisor(amount, roots);
  return common === 0 ? { amount: 0, roots: 1 } : { amount: amount / common, roots: roots / common };
}

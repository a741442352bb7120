/**
 * The maximum rate at which roots can spread their data to all chips simultaneously. By Edmonds' theorem
 * ("Edge-disjoint branchings", 1973) and its generalisation to many roots (Bérczi and Frank 2010), packed trees reach
 * what the tightest cut allows.
 */
import { FlowNetwork } from '../../graph/index.ts';
import type { ShouldStop } from '../../ir/effort.ts';
import { perOperation } from '../limits.ts';
import type { SpreadingRoot } from '../shares.ts';
import type { CapacityGraph } from './capacities.ts';

/** The roots, and the graph over which they spread data. */
export interface Spreading {
  readonly graph: CapacityGraph;
  readonly roots: readonly SpreadingRoot[];
  readonly shouldStop: ShouldStop | undefined;
}

/** A set of nodes whose outgoing capacity is less than the trees of the roots inside need. */
export interface TightCut {
  /** 1 for each node inside. */
  readonly inside: Uint8Array;
  /** How much capacity is missing. */
  readonly missing: number;
}

/** What leaves a set of nodes: the edges, and the total share of the roots inside. */
export interface Leaving {
  readonly capacities: readonly number[];
  readonly units: number;
}

/**
 * A violated cut if every root has the given number of trees for each unit of its share; undefined if every chip can
 * receive all of them.
 */
export function tightCut({ graph, roots, shouldStop }: Spreading, trees: number): TightCut | undefined {
  const { nodes, chips, capacity } = graph;
  // One additional source node. Both directions between two nodes share one pair of arcs, which halves the work.
  const network = new FlowNetwork(nodes + 1);
  for (let from = 0; from < nodes; from++) {
    for (let to = from + 1; to < nodes; to++) {
      const [there, back] = [capacity[from * nodes + to], capacity[to * nodes + from]];
      if (there > 0 || back > 0) network.add(from, to, there, back);
    }
  }
  for (const { rank, share } of roots) network.add(nodes, rank, share * trees);
  const wanted = unitsOf(roots) * trees;
  let gets = network.maxFlow(nodes, 0, wanted);
  // The flow to one chip is reused for the next: only what is missing there is augmented.
  for (let sink = 1; gets >= wanted && sink < chips; sink++) gets = network.moreFlow(sink - 1, sink, wanted);
  shouldStop?.((network.work + capacity.length) / perOperation.arcsOfFlows);
  return gets >= wanted ? undefined : { inside: network.sourceSide(), missing: wanted - gets };
}

/**
 * The maximum rate per unit of share, by Dinkelbach's method (1967), starting from the chip with the least incoming
 * capacity for what it lacks.
 */
export function maxSpreadingRate(spreading: Spreading): number {
  const { graph, shouldStop } = spreading;
  let tightest = aroundChips(spreading).reduce((least, cut) => (rateOut(cut) < rateOut(least) ? cut : least));
  while (rateOut(tightest) > 0 && shouldStop?.() !== true) {
    const { units, capacities } = tightest;
    const capacity = graph.capacity.map((each) => each * units);
    const cut = tightCut({ ...spreading, graph: { ...graph, capacity } }, sumOf(capacities));
    const found = cut === undefined ? tightest : leaving(spreading, cut.inside);
    // Not tighter: can only happen if capacities are so large that sums are rounded.
    if (rateOut(found) >= rateOut(tightest)) break;
    tightest = found;
  }
  return rateOut(tightest);
}

/** The cuts around each chip that lacks something: its incoming edges. */
export function aroundChips({ graph: { nodes, chips, capacity }, roots }: Spreading): Leaving[] {
  const lacking = new Float64Array(chips).fill(unitsOf(roots));
  for (const { rank, share } of roots) lacking[rank] -= share;
  return Array.from(lacking, (units, chip) => {
    const entering = Array.from({ length: nodes }, (_, from) => capacity[from * nodes + chip]);
    return { capacities: entering.filter((amount) => amount > 0), units };
  }).filter(({ units }) => units > 0);
}

export function leaving({ graph: { nodes, capacity }, roots }: Spreading, inside: Uint8Array): Leaving {
  const capacities: number[] = [];
  for (let from = 0; from < nodes; from++) {
    for (let to = 0; inside[from] === 1 && to < nodes; to++) {
      if (inside[to] === 0 && capacity[from * nodes + to] > 0) capacities.push(capacity[from * nodes + to]);
    }
  }
  return { capacities, units: unitsOf(roots.filter(({ rank }) => inside[rank] === 1)) };
}

export function rateOut({ capacities, units }: Leaving): number {
  return sumOf(capacities) / units;
}

function unitsOf(roots: readonly SpreadingRoot[]): number {
  return sumOf(roots.map(({ share }) => share));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

/**
 * The very cheapest trees in rounds between few ranks: dynamic programming over the sets of ranks that a tree reaches (Dreyfus and Wagner
 * 1971). A rank that has the data passes it on to another, or waits, or does both of two things for two parts of the others.
 */
import type { Hop } from './columns.ts';
import type { TreeNetwork } from './tree-search.ts';

/** Pairs of sets that may be looked at for all trees of one pricing: they are 3^(ranks − 1) for every rank and round. */
const mostPairs = 2_000_000;

/** So many pairs of sets count as one iteration and row of the simplex method. */
const pairsPerWork = 84;

/** Whether there are few enough sets. */
export function canTryAllSets(network: TreeNetwork, rounds: number): boolean {
  return workOfSets(network, rounds) * pairsPerWork <= mostPairs;
}

/** What the trees of all ranks and sets take, as limits count work (limits.ts). */
export function workOfSets({ ranks }: TreeNetwork, rounds: number): number {
  return (rounds * ranks * 3 ** (ranks - 1)) / pairsPerWork;
}

export class CheapestTrees {
  private readonly network: TreeNetwork;
  private readonly outgoing: readonly (readonly number[])[];
  private readonly sets: number;
  /** Of trees in so many rounds, by rank and set: what the cheapest one costs that reaches the set from the rank. */
  private readonly costs: Float64Array[] = [];
  private readonly priceOf: (layer: number, way: number) => number;

  /** @param priceOf what a way costs in the first of `layer` rounds that are left */
  constructor(network: TreeNetwork, rounds: number, priceOf: (layer: number, way: number) => number) {
    this.network = network;
    this.priceOf = priceOf;
    this.sets = 1 << network.ranks;
    const outgoing: number[][] = Array.from({ length: network.ranks }, () => []);
    network.from.forEach((rank, way) => {
      outgoing[rank].push(way);
    });
    this.outgoing = outgoing;
    const none = new Float64Array(network.ranks * this.sets).fill(Number.POSITIVE_INFINITY);
    for (let rank = 0; rank < network.ranks; rank++) none[rank * this.sets] = 0;
    this.costs.push(none);
    for (let layer = 1; layer <= rounds; layer++) this.costs.push(this.layer(layer));
  }

  /**
   * The hops of a cheapest tree, ascending.
   *
   * @param rounds that it may take
   * @param roundOf the round of a hop that is taken when so many of them are left
   * @returns undefined where there are too few rounds
   */
  hops(
    root: number,
    targets: readonly number[],
    rounds: number,
    roundOf: (layer: number) => number,
  ): Hop[] | undefined {
    const set = setOf(targets, root);
    if (this.costs[rounds][root * this.sets + set] === Number.POSITIVE_INFINITY) return undefined;
    const { from, to } = this.network;
    // Where hops cost nothing, two parts may go the same way, or meet: who has the data needs it no more.
    const has = new Set([root]);
    return [...this.part(root, set, rounds)]
      .sort((a, b) => b.layer - a.layer)
      .filter(({ way }) => !has.has(to[way]) && has.add(to[way]))
      .map(({ layer, way }) => roundOf(layer) * from.length + way)
      .sort((a, b) => a - b);
  }

  private layer(layer: number): Float64Array {
    const { network, sets, outgoing } = this;
    const later = this.costs[layer - 1];
    const costs = new Float64Array(network.ranks * sets);
    for (let rank = 0; rank < network.ranks; rank++) {
      const first = rank * sets;
      for (let set = 0; set < sets; set++) {
        if (((set >> rank) & 1) === 1) continue;
        let least = later[first + set];
        for (const way of outgoing[rank]) {
          const next = network.to[way];
          least = Math.min(least, this.priceOf(layer, way) + later[next * sets + (set & ~(1 << next))]);
        }
        // The part with the lowest rank, so that no pair of parts is looked at twice.
        const lowest = set & -set;
        for (let part = (set - 1) & set; part > 0; part = (part - 1) & set) {
          if ((part & lowest) !== 0) least = Math.min(least, costs[first + part] + costs[first + (set ^ part)]);
        }
        costs[first + set] = least;
      }
    }
    return costs;
  }

  /** What made the cost of a set: the same choices again, until one of them gives it. */
  private *part(rank: number, set: number, layer: number): Iterable<{ readonly layer: number; readonly way: Hop }> {
    if (set === 0) return;
    const { network, sets, outgoing } = this;
    const [now, later] = [this.costs[layer], this.costs[layer - 1]];
    const first = rank * sets;
    if (later[first + set] === now[first + set]) return yield* this.part(rank, set, layer - 1);
    for (const way of outgoing[rank]) {
      const next = network.to[way];
      const rest = set & ~(1 << next);
      if (this.priceOf(layer, way) + later[next * sets + rest] !== now[first + set]) continue;
      yield { layer, way };
      return yield* this.part(next, rest, layer - 1);
    }
    for (let part = (set - 1) & set; part > 0; part = (part - 1) & set) {
      if (now[first + part] + now[first + (set ^ part)] !== now[first + set]) continue;
      yield* this.part(rank, part, layer);
      return yield* this.part(rank, set ^ part, layer);
    }
  }
}

function setOf(targets: readonly number[], root: number): number {
  let set = 0;
  for (const target of targets) if (target !== root) set |= 1 << target;
  return set;
}

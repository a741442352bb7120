/**
 * Schemes: how one chunk is scanned, as far as it matters which links carry it.
 *
 * Call a value that combines contributions of ranks up to m, m among them, one of class m. Whatever the plan, rank m needs its
 * own contribution to meet that of m − 1 somewhere, at rank v: class m goes from m to v, as a result back to m, and on to where it
 * meets class m + 1; class m − 1 goes to v. No message is of two classes. So the cheapest scheme is a shortest way over the ranks v,
 * class by class (docs/bounds.md proves that no scan needs less). An exscan's result has nothing of its own rank: there v is m, and
 * class m goes from m to m + 1.
 */
import type { Hops, Ways } from './hops.ts';

/** Where the values of one class go: a tree of places, each at a rank. */
export interface ClassTree {
  /** By place: its rank. Place 0 is at the rank of the class. */
  readonly ranks: readonly number[];
  /** By place: the place before it; −1 for the first. */
  readonly parents: readonly number[];
  /** By place: the hop that leads to it; −1 for the first. */
  readonly hops: readonly number[];
  /** The place at which the class meets the one before. */
  readonly met: number;
  /** Places at which all contributions up to the class must be together, in the order in which they are cared for. */
  readonly complete: readonly number[];
}

/** One tree for each class, 0 first. */
export type Scheme = readonly ClassTree[];

class TreeBuilder implements ClassTree {
  readonly ranks: number[];
  readonly parents = [-1];
  readonly hops = [-1];
  met = 0;
  readonly complete: number[] = [];
  private readonly all: Hops['arcs'];

  constructor(rank: number, hops: Hops) {
    this.ranks = [rank];
    this.all = hops.arcs;
  }

  /** Goes on from a place; returns the last. */
  extend(place: number, way: readonly number[]): number {
    let last = place;
    for (const hop of way) {
      this.parents.push(last);
      this.hops.push(hop);
      last = this.ranks.push(this.all[hop].to) - 1;
    }
    return last;
  }
}

/** Where a class goes: from its rank to `met` and back, by way of `leave`, from where it goes on to `next`, if there is one. */
export interface Stops {
  /** Where it meets the class before: at its own rank, if it goes nowhere for that. */
  readonly met: number;
  readonly leave: number;
  /** Where it meets the next class; undefined of the last. */
  readonly next: number | undefined;
}

/** The stops of an exscan, class by class. */
export function exscanStops(ranks: number): Stops[] {
  return Array.from({ length: ranks - 1 }, (_, rank) => ({ met: rank, leave: rank, next: rank + 1 }));
}

/** How class m is cheapest for each rank at which it may meet class m + 1. */
interface Stage {
  /** By rank b: from where on its tree class m goes to b. */
  readonly leaves: Int32Array;
  /** By rank u: where class m met class m − 1, if it leaves its tree for the next at u. */
  readonly meets: Int32Array;
}

/** The stops of the cheapest scan, class by class, among those in which a class goes on to the next only once it is complete. */
export function cheapestStops(ranks: number, ways: Ways): Stops[] {
  let costs: Float64Array = new Float64Array(ranks).fill(Number.POSITIVE_INFINITY);
  costs[0] = 0;
  const stages: Stage[] = [];
  for (let rank = 0; rank < ranks - 1; rank++) {
    const stage = { leaves: new Int32Array(ranks), meets: new Int32Array(ranks) };
    costs = extendCosts(rank, ranks, costs, ways, stage);
    stages.push(stage);
  }
  const last = ranks - 1;
  let meet = last;
  const total = (at: number) => costs[at] + ways.between(last, at) + ways.between(at, last);
  for (let at = 0; at < ranks; at++) if (total(at) < total(meet) * (1 - 1e-12)) meet = at;
  const stops: Stops[] = [{ met: meet, leave: meet, next: undefined }];
  for (let rank = last - 1; rank >= 0; rank--) {
    const leave = stages[rank].leaves[meet];
    const met = stages[rank].meets[leave];
    stops.push({ met, leave, next: meet });
    meet = met;
  }
  return stops.reverse();
}

function extendCosts(rank: number, ranks: number, costs: Float64Array, ways: Ways, stage: Stage): Float64Array {
  const leaving = new Float64Array(ranks).fill(Number.POSITIVE_INFINITY);
  leaving[rank] = costs[rank];
  stage.meets[rank] = rank;
  for (let meet = 0; meet < ranks; meet++) {
    if (meet === rank) continue;
    const there = costs[meet] + ways.between(rank, meet);
    for (let leave = 0; leave < ranks; leave++) {
      const total = there + ways.between(meet, leave) + ways.between(leave, rank);
      if (total >= leaving[leave] * (1 - 1e-12)) continue;
      leaving[leave] = total;
      stage.meets[leave] = meet;
    }
  }
  const next = new Float64Array(ranks).fill(Number.POSITIVE_INFINITY);
  for (let leave = 0; leave < ranks; leave++) {
    for (let meet = 0; meet < ranks; meet++) {
      const total = leaving[leave] + ways.between(leave, meet);
      if (total >= next[meet] * (1 - 1e-12)) continue;
      next[meet] = total;
      stage.leaves[meet] = leave;
    }
  }
  return next;
}

/** @param way the hops from one rank to another */
export function treeOf(
  hops: Hops,
  way: (from: number, to: number) => readonly number[],
  rank: number,
  { met, leave, next }: Stops,
): ClassTree {
  const tree = new TreeBuilder(rank, hops);
  tree.met = tree.extend(0, way(rank, met));
  const branch = tree.extend(tree.met, way(met, leave));
  // Where two ways part, what they share must do for both.
  if (met !== rank && next !== undefined) tree.complete.push(branch);
  if (met !== rank) tree.complete.push(tree.extend(branch, way(leave, rank)));
  if (next !== undefined) tree.complete.push(tree.extend(branch, way(leave, next)));
  return tree;
}

/** The scheme with these stops. */
export function schemeOf(
  hops: Hops,
  way: (from: number, to: number) => readonly number[],
  stops: readonly Stops[],
): ClassTree[] {
  return stops.map((stop, rank) => treeOf(hops, way, rank, stop));
}

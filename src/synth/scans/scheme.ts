/**
 * Schemes: an abstraction of the scan of one chunk that keeps only which links carry it.
 *
 * A value has class m if it combines contributions of ranks up to m, m among them. In every plan, rank m's own contribution must meet that
 * of m − 1 at some rank v: class m travels from m to v, back to m as a result, and on to where it meets class m + 1; class m − 1 travels to
 * v. No message has two classes. So the cheapest scheme is a shortest path over the ranks v, class by class, found in O(N³) for N ranks
 * (docs/bounds.md proves that no scan needs less). The result of an exscan has no contribution of its own rank: there v = m, and class m
 * travels from m to m + 1.
 */
import type { Hops } from './hops.ts';

/** The paths of the values of one class: a tree of places, each at a rank. Place 0 is at the rank of the class. */
export interface ClassTree {
  readonly places: readonly Place[];
  /** Places at which all contributions of the class must have met, in the order in which they are planned. */
  readonly complete: readonly number[];
}

interface Place {
  readonly rank: number;
  /** The preceding place, and the hop from there; −1 for the first. */
  readonly parent: number;
  readonly hop: number;
}

/** One tree per class, in order. */
export type Scheme = readonly ClassTree[];

/** Indices of the hops of a tree. */
export function hopsIn({ places }: ClassTree): number[] {
  return places.slice(1).map(({ hop }) => hop);
}

/** The ranks at which a class stops: it goes from its rank to `met` and back by way of `leave`, where the path to `next` branches off. */
export interface Stops {
  /** Where it meets the class before it; its own rank if it travels nowhere for that. */
  readonly met: number;
  readonly leave: number;
  /** Where it meets the next class; undefined for the last class. */
  readonly next: number | undefined;
}

/** The stops of an exscan, class by class. */
export function exscanStops(ranks: number): Stops[] {
  return Array.from({ length: ranks - 1 }, (_, rank) => ({ met: rank, leave: rank, next: rank + 1 }));
}

/**
 * The stops of the cheapest scan, by class, among scans in which a class goes on to the next only when it is complete. Dynamic programming
 * over ranks in O(N³).
 * @param costs price of the cheapest path, by source, then destination
 */
export function cheapestStops(costs: readonly Float64Array[]): Stops[] {
  const all = [...costs.keys()];
  // By rank: the minimum cost of all classes so far, if the last one meets the next there.
  let sums = all.map((at) => (at === 0 ? 0 : Number.POSITIVE_INFINITY));
  // By class: by rank `leave`, the best `met`; and by rank `next`, the best `leave`.
  const choices = all.map((rank) => {
    const there = sums.map((sum, met) => sum + costs[rank][met]);
    const left = all.map((leave) =>
      cheapest(there, (met) => {
        if (met === rank && leave !== rank) return Number.POSITIVE_INFINITY;
        return costs[met][leave] + costs[leave][rank];
      }),
    );
    const leaving = left.map(({ cost }) => cost);
    const gone = all.map((next) => cheapest(leaving, (leave) => costs[leave][next]));
    sums = gone.map(({ cost }) => cost);
    return { left, leaving, gone };
  });
  const stops: Stops[] = [];
  let next: number | undefined;
  for (const { left, leaving, gone } of choices.reverse()) {
    const leave = next === undefined ? cheapest(leaving, () => 0).at : gone[next].at;
    const met = left[leave].at;
    stops.push({ met, leave, next });
    next = met;
  }
  return stops.reverse();
}

/**
 * The first rank of minimum total cost, up to rounding.
 * @param floors by rank: a lower bound on its cost, to which `restOf` is added; ranks that cannot win are skipped
 */
function cheapest(floors: readonly number[], restOf: (rank: number) => number): { at: number; cost: number } {
  let best = { at: 0, cost: Number.POSITIVE_INFINITY };
  for (let at = 0; at < floors.length; at++) {
    const enough = best.cost * (1 - 1e-12);
    if (floors[at] >= enough) continue;
    const cost = floors[at] + restOf(at);
    if (cost < enough) best = { at, cost };
  }
  return best;
}

/**
 * The tree of a class with given stops.
 * @param way returns the hops from one rank to another
 */
export function classTreeOf(
  { arcs }: Hops,
  way: (from: number, to: number) => readonly number[],
  rank: number,
  { met, leave, next }: Stops,
): ClassTree {
  const places: Place[] = [{ rank, parent: -1, hop: -1 }];
  const extend = (place: number, to: number): number =>
    way(places[place].rank, to).reduce((parent, hop) => places.push({ rank: arcs[hop].to, parent, hop }) - 1, place);
  const branch = extend(extend(0, met), leave);
  const complete: number[] = [];
  // Where two paths branch, the shared part must carry what both need.
  if (met !== rank && next !== undefined) complete.push(branch);
  if (met !== rank) complete.push(extend(branch, rank));
  if (next !== undefined) complete.push(extend(branch, next));
  return { places, complete };
}

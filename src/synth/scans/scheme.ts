/**
 * Schemes: how one chunk is scanned, as far as it matters which links carry it.
 *
 * Call a value that combines contributions of ranks up to m, m among them, one of class m. Whatever the plan, rank m needs its
 * own contribution to meet that of m − 1 somewhere, at rank v: class m goes from m to v, as a result back to m, and on to where it
 * meets class m + 1; class m − 1 goes to v. No message is of two classes. So the cheapest scheme is a shortest way over the ranks v,
 * class by class (docs/bounds.md proves that no scan needs less). An exscan's result has nothing of its own rank: there v is m, and
 * class m goes from m to m + 1.
 */
import type { Hops } from './hops.ts';

/** Where the values of one class go: a tree of places, each at a rank. Place 0 is at the rank of the class. */
export interface ClassTree {
  readonly places: readonly Place[];
  /** Places at which all contributions up to the class must be together, in the order in which they are cared for. */
  readonly complete: readonly number[];
}

interface Place {
  readonly rank: number;
  /** The place before it, and the hop that leads to it; −1 for the first. */
  readonly parent: number;
  readonly hop: number;
}

/** One tree for each class, 0 first. */
export type Scheme = readonly ClassTree[];

/** Indices of the hops of a tree. */
export function hopsIn({ places }: ClassTree): number[] {
  return places.slice(1).map(({ hop }) => hop);
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

/**
 * The stops of the cheapest scan, class by class, among those in which a class goes on to the next only once it is complete.
 *
 * @param costs what ways cost, by source, then destination
 */
export function cheapestStops(costs: readonly Float64Array[]): Stops[] {
  const all = [...costs.keys()];
  // By rank: what all classes so far cost, if they meet the next one there.
  let sums = all.map((at) => (at === 0 ? 0 : Number.POSITIVE_INFINITY));
  // By class: where it met the one before if it leaves its tree for the next at a rank, and where it leaves for a rank.
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

/** The first of the ranks that cost least, but for rounding. @param floors what they cost at least, to which the rest is added */
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

/** @param way the hops from one rank to another */
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
  // Where two ways part, what they share must do for both.
  if (met !== rank && next !== undefined) complete.push(branch);
  if (met !== rank) complete.push(extend(branch, rank));
  if (next !== undefined) complete.push(extend(branch, next));
  return { places, complete };
}

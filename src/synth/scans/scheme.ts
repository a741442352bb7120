/**
 * Schemes: how one chunk is scanned, as far as it matters which links carry it.
 *
 * Call a value that combines contributions of ranks up to m, m among them, one of class m. Whatever the plan, rank m needs its
 * own contribution to meet that of m − 1 somewhere, at rank v: class m goes from m to v, as a result back to m, and on to where it
 * meets class m + 1; class m − 1 goes to v. No message is of two classes. So the cheapest scheme is a shortest way over the ranks v,
 * class by class (docs/bounds.md proves that no scan needs less). An exscan's result has nothing of its own rank: there v is m, and
 * class m goes from m to m + 1.
 */
import type { Hops, WaysFrom } from './hops.ts';

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
 * @param ways by rank
 */
export function cheapestStops(ways: readonly WaysFrom[]): Stops[] {
  const all = [...ways.keys()];
  const between = (from: number, to: number) => ways[from].costs[to];
  // By rank: what all classes so far cost, if they meet the next one there.
  let costs = all.map((at) => (at === 0 ? 0 : Number.POSITIVE_INFINITY));
  // By class: where it met the one before if it leaves its tree for the next at a rank, and where it leaves for a rank.
  const choices = all.map((rank) => {
    const left = all.map((leave) =>
      cheapest(all, (met) => {
        if (met === rank) return leave === rank ? costs[rank] : Number.POSITIVE_INFINITY;
        return costs[met] + between(rank, met) + between(met, leave) + between(leave, rank);
      }),
    );
    const gone = all.map((next) => cheapest(all, (leave) => left[leave].cost + between(leave, next)));
    costs = gone.map(({ cost }) => cost);
    return { left, gone };
  });
  const stops: Stops[] = [];
  let next: number | undefined;
  for (const { left, gone } of choices.reverse()) {
    const leave = next === undefined ? cheapest(all, (at) => left[at].cost).at : gone[next].at;
    const met = left[leave].at;
    stops.push({ met, leave, next });
    next = met;
  }
  return stops.reverse();
}

/** The first of the ranks that cost least, but for rounding. */
function cheapest(
  ranks: readonly number[],
  costOf: (rank: number) => number,
): { readonly at: number; readonly cost: number } {
  let best = { at: 0, cost: Number.POSITIVE_INFINITY };
  for (const at of ranks) {
    const cost = costOf(at);
    if (cost < best.cost * (1 - 1e-12)) best = { at, cost };
  }
  return best;
}

/** @param way the hops from one rank to another */
export function treeOf(
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

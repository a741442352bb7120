/**
 * Chooses the set of arcs that start jointly at an instant. If messages need several links at once, a greedy choice may leave links idle
 * that another choice would use. So this looks for an independent set of maximum weight: arcs of which no two need the same link or port
 * (max-weight scheduling: Tassiulas and Ephremides 1992). The problem is NP-hard in general, so the search is heuristic, by threshold
 * accepting (Dueck and Scheuer 1990), in time linear in the number of candidates.
 */
import { none } from '../../../ir/none.ts';
import type { Random } from '../../../ir/random.ts';
import { rounding } from '../../../ir/units.ts';
import type { RouteTable } from '../route-table.ts';

/** Steps of the search per candidate arc. */
const stepsPerWay = 20;
/** The work of these steps per candidate, in arcs examined. */
export const probesPerRoute = stepsPerWay / 2;
/** Maximum items per message. */
const mostItems = 4;

/** Whether some message occupies one of its links for longer than another: only then does it matter which arcs start jointly. */
export function hasUnlikeLinks({ arcs, topology }: RouteTable): boolean {
  return arcs.some(({ links, bandwidth }) => links.some((link) => topology.links[link].bandwidth > bandwidth));
}

/**
 * By arc: the smallest number of items (at most `mostItems`) whose message occupies each link for a whole multiple of the time that one
 * item occupies the fastest link of the arc; 1 if there is none. Example: if one link is 1.5 times as fast as another, a message of two
 * items occupies them for 2 and 3 such times, so no gap remains that is too short for another item.
 */
export function wholeItems({ arcs, topology }: RouteTable): Int32Array {
  return Int32Array.from(arcs, ({ links }) => {
    const bandwidths = links.map((link) => topology.links[link].bandwidth);
    const fastest = Math.max(...bandwidths);
    const times = (items: number) => bandwidths.map((bandwidth) => (items * fastest) / bandwidth);
    for (let items = 1; items <= mostItems; items++) {
      if (times(items).every((count) => Math.abs(count - Math.round(count)) < rounding)) return items;
    }
    return 1;
  });
}

/** Makes the choices of one attempt; its arrays are reused at all instants. */
export class TogetherChoice {
  private readonly routes: RouteTable;
  private readonly random: Random;
  /** By resource: the arcs of the current set that use it, longest-standing first. */
  private readonly users: readonly number[][];
  /** By arc: the step in which it entered the current set, or `none`; and the same for the best set found. */
  private readonly taken: Int32Array;
  private readonly best: Int32Array;

  constructor(ways: RouteTable, random: Random) {
    this.routes = ways;
    this.random = random;
    this.users = Array.from(ways.capacity, () => []);
    this.taken = new Int32Array(ways.arcs.length);
    this.best = new Int32Array(ways.arcs.length);
  }

  /**
   * Returns arcs that can all start now, in the order in which they entered the set.
   * @param candidates arcs that could start now, each by itself
   * @param worth value of each arc, more than 0
   * @param room by resource: the number of messages that it can take
   */
  from(candidates: readonly number[], worth: Float64Array, room: Float64Array): readonly number[] {
    const { taken, best, users } = this;
    for (const own of users) own.splice(0);
    taken.fill(none);
    best.fill(none);
    let [value, greatest] = [0, 0];
    const steps = stepsPerWay * candidates.length;
    for (let step = 0; step < steps; step++) {
      const way = candidates[this.random.below(candidates.length)];
      if (taken[way] !== none) continue;
      const displaced = this.displacedBy(way, room);
      const gain = displaced.reduce((sum, other) => sum - worth[other], worth[way]);
      if (gain < -worth[way] * (1 - step / steps)) continue;
      for (const other of displaced) this.leave(other);
      taken[way] = step;
      for (const resource of this.routes.arcs[way].resources) users[resource].push(way);
      value += gain;
      if (value <= greatest) continue;
      greatest = value;
      best.set(taken);
    }
    return candidates.filter((way) => best[way] !== none).sort((a, b) => best[a] - best[b]);
  }

  /** The arcs that must leave the set for this one to enter: for each full resource, the one that has used it longest. */
  private displacedBy(way: number, room: Float64Array): readonly number[] {
    const displaced: number[] = [];
    for (const resource of this.routes.arcs[way].resources) {
      const own = this.users[resource];
      if (own.length >= room[resource] && !displaced.includes(own[0])) displaced.push(own[0]);
    }
    return displaced;
  }

  private leave(way: number): void {
    this.taken[way] = none;
    for (const resource of this.routes.arcs[way].resources) {
      const own = this.users[resource];
      own.copyWithin(own.indexOf(way), own.indexOf(way) + 1);
      own.pop();
    }
  }
}

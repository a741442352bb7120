/**
 * Which ways start together. Where a message needs several links at once, whoever starts first may leave links idle that another choice would
 * have used. So the set of ways that is worth most is looked for, of which no two need the same link or port (an independent set of greatest
 * weight, as in scheduling by greatest weight: Tassiulas and Ephremides 1992), by annealing (threshold accepting: Dueck and Scheuer 1990).
 */
import { none } from '../../../ir/none.ts';
import type { Random } from '../../../ir/random.ts';
import { rounding } from '../../../ir/units.ts';
import type { RouteTable } from '../route-table.ts';

/** Steps of the annealing for each way that could start. */
const stepsPerWay = 20;
/** What these take, in looks at a way. */
export const probesPerRoute = stepsPerWay / 2;
/** Items of a message at most, so that it keeps all its links busy for whole item times. */
const mostItems = 4;

/** Whether some messages keep some of their links busy for longer than others: only there it matters which ways start together. */
export function hasUnlikeLinks({ arcs, topology }: RouteTable): boolean {
  return arcs.some(({ links, bandwidth }) => links.some((link) => topology.links[link].bandwidth > bandwidth));
}

/**
 * By way: the fewest items whose message keeps every link busy for as long as some items keep the fastest link of the way. Where one link is
 * 1.5 times as fast as another, messages of two items leave it free for one that takes as long as one; others have the items one by one.
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

/** Chooses for one attempt; its arrays serve all instants. */
export class TogetherChoice {
  private readonly routes: RouteTable;
  private readonly random: Random;
  /** By resource: ways that use it, the one first that has used it longest. */
  private readonly users: readonly number[][];
  /** By way: the step in which it was taken, or `none`; and the same of the best set. */
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
   * A set of ways that can all start.
   *
   * @param candidates ways that could start at this instant, each by itself
   * @param worth of each way, more than 0
   * @param room of each resource, in messages
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

  /** Of each resource that has no room, the way that has used it longest has to go. */
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

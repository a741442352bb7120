/**
 * Which ways start together. Where a message needs several links at once, whoever starts first may leave links idle that another choice would
 * have used. So the set of ways that is worth most is looked for, of which no two need the same link or port (an independent set of greatest
 * weight, as in scheduling by greatest weight: Tassiulas and Ephremides 1992), by annealing (threshold accepting: Dueck and Scheuer 1990).
 */
import type { Random } from '../../../ir/random.ts';
import { rounding } from '../../../ir/units.ts';
import type { Ways } from '../ways.ts';
import { bandwidthInto } from './least-time.ts';
import type { Occupancy } from './occupancy.ts';

/** Steps of the annealing for each way that could start. */
const stepsPerWay = 20;
/** What these take, in looks at a way. */
export const looksPerWay = stepsPerWay / 2;
/** Items of a message at most, so that it keeps all its links busy for whole item times. */
const mostItems = 4;

/** What ways are when they start together. */
export class JointWays {
  /** By way: the part of all bandwidth into its receiver that it takes up. */
  readonly partOfReceiver: Float64Array;
  /**
   * By way: the fewest items whose message keeps every link busy for as long as some items keep the fastest link of the way. Where one link is
   * 1.5 times as fast as another, messages of two items leave it free for one that takes as long as one; others have the items one by one.
   */
  readonly wholeItems: Int32Array;

  constructor(ways: Ways) {
    const into = Float64Array.from({ length: ways.ranks }, (_, rank) => bandwidthInto(ways, rank));
    this.partOfReceiver = Float64Array.from(ways.to, (to, way) => lastBandwidth(ways, way) / into[to]);
    this.wholeItems = Int32Array.from(ways.to, (_, way) => wholeItems(ways, way));
  }
}

/** Whether some messages keep some of their links busy for longer than others: only there it matters which ways start together. */
export function hasUnlikeLinks(ways: Ways): boolean {
  return ways.to.some((_, way) => bandwidthsOn(ways, way).some((bandwidth) => bandwidth > ways.bandwidth[way]));
}

function bandwidthsOn({ topology, link, firstLink }: Ways, way: number): readonly number[] {
  return Array.from(link.subarray(firstLink[way], firstLink[way + 1]), (index) => topology.links[index].bandwidth);
}

function wholeItems(ways: Ways, way: number): number {
  const bandwidths = bandwidthsOn(ways, way);
  const fastest = Math.max(...bandwidths);
  const isWhole = (items: number): boolean =>
    bandwidths.every((bandwidth) => {
      const times = (items * fastest) / bandwidth;
      return Math.abs(times - Math.round(times)) < rounding;
    });
  for (let items = 1; items <= mostItems; items++) if (isWhole(items)) return items;
  return 1;
}

/** What a message takes of the last link of its way, or of the port there if it is not alone in that: bytes per second. */
function lastBandwidth({ topology, link, firstLink, receivePorts, to, bandwidth }: Ways, way: number): number {
  const last = topology.links[link[firstLink[way + 1] - 1]];
  const isHeld = last.occupancy === 'blocking' || receivePorts[to[way]] < Number.POSITIVE_INFINITY;
  return isHeld ? bandwidth[way] : last.bandwidth;
}

/**
 * @param candidates ways that could start at this instant, each by itself
 * @param worth of each way, more than 0
 * @returns a set of ways that can all start
 */
export function chosenTogether(
  candidates: readonly number[],
  worth: Float64Array,
  occupancy: Occupancy,
  random: Random,
): readonly number[] {
  const chosen = new Set<number>();
  const users = new Map<number, number[]>();
  let [value, greatest] = [0, 0];
  let best: readonly number[] = [];
  const steps = stepsPerWay * candidates.length;
  for (let step = 0; step < steps; step++) {
    const way = candidates[random.below(candidates.length)];
    if (chosen.has(way)) continue;
    const displaced = displacedBy(way, users, occupancy);
    const gain = worth[way] - displaced.reduce((sum, other) => sum + worth[other], 0);
    if (gain < -worth[way] * (1 - step / steps)) continue;
    for (const other of displaced) {
      chosen.delete(other);
      for (const resource of occupancy.resourcesOf(other)) remove(users.get(resource), other);
    }
    chosen.add(way);
    for (const resource of occupancy.resourcesOf(way)) {
      const using = users.get(resource);
      if (using === undefined) users.set(resource, [way]);
      else using.push(way);
    }
    value += gain;
    if (value > greatest) [greatest, best] = [value, [...chosen]];
  }
  return best;
}

/** The ways that have to go so that a way can start: of each resource that has no room, the one that has used it longest. */
function displacedBy(
  way: number,
  users: ReadonlyMap<number, readonly number[]>,
  occupancy: Occupancy,
): readonly number[] {
  const displaced = new Set<number>();
  for (const resource of occupancy.resourcesOf(way)) {
    const using = users.get(resource);
    if (using !== undefined && using.length >= occupancy.room(resource)) displaced.add(using[0]);
  }
  return [...displaced];
}

function remove(using: number[] | undefined, way: number): void {
  using?.splice(using.indexOf(way), 1);
}

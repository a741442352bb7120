/**
 * Which ways start together. Where a message needs several links at once, whoever starts first may leave links idle that another choice would
 * have used. So the set of ways that is worth most is looked for, of which no two need the same link or port (an independent set of greatest
 * weight, as in scheduling by greatest weight: Tassiulas and Ephremides 1992), by annealing (threshold accepting: Dueck and Scheuer 1990).
 */
import type { Random } from '../../../ir/random.ts';
import { rounding } from '../../../ir/units.ts';
import type { Ways } from '../ways.ts';

/** Steps of the annealing for each way that could start. */
const stepsPerWay = 20;
/** What these take, in looks at a way. */
export const looksPerWay = stepsPerWay / 2;
/** Items of a message at most, so that it keeps all its links busy for whole item times. */
const mostItems = 4;

/** Whether some messages keep some of their links busy for longer than others: only there it matters which ways start together. */
export function hasUnlikeLinks({ arcs, topology }: Ways): boolean {
  return arcs.some(({ links, bandwidth }) => links.some((link) => topology.links[link].bandwidth > bandwidth));
}

/**
 * By way: the fewest items whose message keeps every link busy for as long as some items keep the fastest link of the way. Where one link is
 * 1.5 times as fast as another, messages of two items leave it free for one that takes as long as one; others have the items one by one.
 */
export function wholeItems({ arcs, topology }: Ways): Int32Array {
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

/**
 * @param candidates ways that could start at this instant, each by itself
 * @param worth of each way, more than 0
 * @param room of each resource, in messages
 * @returns a set of ways that can all start
 */
export function chosenTogether(
  candidates: readonly number[],
  worth: Float64Array,
  { arcs }: Ways,
  room: Float64Array,
  random: Random,
): readonly number[] {
  const chosen = new Set<number>();
  const users = Array.from(room, (): number[] => []);
  let [value, greatest] = [0, 0];
  let best: readonly number[] = [];
  const steps = stepsPerWay * candidates.length;
  for (let step = 0; step < steps; step++) {
    const way = candidates[random.below(candidates.length)];
    if (chosen.has(way)) continue;
    const { resources } = arcs[way];
    // Of each resource that has no room, the way that has used it longest has to go.
    const full = resources.filter((resource) => users[resource].length >= room[resource]);
    const displaced = new Set(full.map((resource) => users[resource][0]));
    let gain = worth[way];
    for (const other of displaced) gain -= worth[other];
    if (gain < -worth[way] * (1 - step / steps)) continue;
    for (const other of displaced) {
      chosen.delete(other);
      for (const resource of arcs[other].resources) users[resource].splice(users[resource].indexOf(other), 1);
    }
    chosen.add(way);
    for (const resource of resources) users[resource].push(way);
    value += gain;
    if (value > greatest) [greatest, best] = [value, [...chosen]];
  }
  return best;
}

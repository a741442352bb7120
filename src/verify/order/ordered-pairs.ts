/**
 * Pairs of events that must be ordered, and the exact decision whether they are. It takes one sweep for each lane that contains earlier events of
 * pairs.
 */
import { IntColumn } from '../../ir/column.ts';
import type { EventOrder } from './event-order.ts';
import type { LaneSweep } from './lane-sweep.ts';

/** Pairs of accesses to one cell. `earlier` comes first in the run, `bulks` bulks before `later`. */
export class OrderedPairs {
  readonly earlier = new IntColumn();
  readonly later = new IntColumn();
  readonly cell = new IntColumn();
  readonly bulks = new IntColumn();

  get length(): number {
    return this.earlier.length;
  }

  push(earlier: number, later: number, cell: number, bulks: number): void {
    this.earlier.push(earlier);
    this.later.push(later);
    this.cell.push(cell);
    this.bulks.push(bulks);
  }

  /** Groups the pairs by the lane of the earlier access, lanes ascending. */
  byLane(laneOf: Int32Array): Map<number, number[]> {
    const lanes = new Map<number, number[]>();
    for (let pair = 0; pair < this.earlier.length; pair++) {
      const lane = laneOf[this.earlier.at(pair)];
      const group = lanes.get(lane);
      if (group === undefined) lanes.set(lane, [pair]);
      else group.push(pair);
    }
    return new Map([...lanes].sort(([a], [b]) => a - b));
  }
}

/**
 * Calls `unordered` for each pair that no path through the given events orders.
 * @param events events in an order in which they can happen; both ends of all pairs are among them
 * @param place scratch space for the position of each event in that order
 * @param unordered called for each such pair; if it returns true, the search stops
 */
export function findUnordered(
  order: EventOrder,
  sweep: LaneSweep,
  events: Int32Array,
  place: Int32Array,
  pairs: OrderedPairs,
  unordered: (pair: number) => boolean,
): void {
  if (pairs.length === 0) return;
  for (let at = 0; at < events.length; at++) place[events[at]] = at;
  for (const [lane, group] of pairs.byLane(order.laneOf)) {
    const length = order.lengthOf(lane);
    let stop = false;
    const reach = group.reduce((most, pair) => Math.max(most, pairs.bulks.at(pair)), 0);
    // If both events are in the same bulk, a path between them passes only through events that lie between them in the order.
    const [from, to] = reach > 0 ? [0, events.length] : span(group, pairs, place);
    sweep.over(events.subarray(from, to), lane, reach, () => {
      for (const pair of group) {
        const wanted = order.positionOf(pairs.earlier.at(pair)) - pairs.bulks.at(pair) * length;
        if (sweep.position(pairs.later.at(pair)) < wanted) stop = unordered(pair) || stop;
      }
    });
    if (stop) return;
  }
}

/**
 * Returns the range from the first earlier event to the last later event of a group of pairs. Of two joint events, the first comes right before the
 * second.
 */
function span(group: readonly number[], pairs: OrderedPairs, place: Int32Array): readonly [from: number, to: number] {
  let [from, to] = [place.length, 0];
  for (const pair of group) {
    from = Math.min(from, Math.max(0, place[pairs.earlier.at(pair)] - 1));
    to = Math.max(to, place[pairs.later.at(pair)] + 1);
  }
  return [from, to];
}

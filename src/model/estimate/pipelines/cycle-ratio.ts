/** The maximum cycle ratio of a graph of precedences: the minimum time between consecutive bulks that the precedences allow. */

import { none } from '../../../ir/none.ts';
import { rounding } from '../../../ir/units.ts';

/**
 * Precedences between events, in columns: event `to` happens at least `weight` seconds after the event `from` of `bulks` bulks earlier. Every cycle
 * must span at least one bulk.
 */
export interface Precedences {
  readonly events: number;
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly weight: readonly number[];
  readonly bulks: readonly number[];
}

/**
 * The maximum of Σ weight / Σ bulks over all cycles, or 0 without cycles, by Newton's method from below (Lawler 1976, in the form of Dasdan 2004).
 * For a ratio λ an edge has the length `weight − λ · bulks`. A cycle of positive length has a ratio above λ, which is the next λ; if there is no such
 * cycle, λ is the maximum.
 *
 * @param atLeast the initial λ: cycles with a smaller ratio are of no interest
 * @returns the maximum ratio in seconds per bulk, or `atLeast` if no cycle exceeds it
 * @throws Error for a cycle that spans no bulk
 */
export function greatestCycleRatio(precedences: Precedences, atLeast = 0): number {
  const order = byTopology(precedences);
  let ratio = atLeast;
  for (;;) {
    const cycle = longerCycle(precedences, order, ratio);
    if (cycle === undefined) return ratio;
    let [weight, bulks] = [0, 0];
    for (const edge of cycle) {
      weight += precedences.weight[edge];
      bulks += precedences.bulks[edge];
    }
    if (!(weight / bulks > ratio * (1 + rounding))) return ratio;
    ratio = weight / bulks;
  }
}

/** Sorts the edges: those within a bulk in topological order, so that one sweep settles them, then those between bulks. */
function byTopology({ events, from, to, bulks }: Precedences): Int32Array {
  const leaving: number[][] = Array.from({ length: events }, () => []);
  const missing = new Int32Array(events);
  const between: number[] = [];
  for (let edge = 0; edge < from.length; edge++) {
    if (bulks[edge] > 0) {
      between.push(edge);
      continue;
    }
    leaving[from[edge]].push(edge);
    missing[to[edge]]++;
  }
  const ready: number[] = [];
  for (let event = 0; event < events; event++) if (missing[event] === 0) ready.push(event);
  const order: number[] = [];
  for (let at = 0; at < ready.length; at++) {
    for (const edge of leaving[ready[at]]) {
      order.push(edge);
      if (--missing[to[edge]] === 0) ready.push(to[edge]);
    }
  }
  if (ready.length < events) throw new Error('a cycle of waits within one bulk: the plan deadlocks');
  return Int32Array.from([...order, ...between]);
}

/** Searches for a cycle of positive length by longest paths (Bellman–Ford). Returns its edges, or undefined if there is none. */
function longerCycle(precedences: Precedences, order: Int32Array, ratio: number): readonly number[] | undefined {
  const { events, from, to, weight, bulks } = precedences;
  const longest = new Float64Array(events);
  const cameBy = new Int32Array(events).fill(none);
  for (let sweep = 0; sweep <= events; sweep++) {
    let changed = false;
    for (const edge of order) {
      const reached = longest[from[edge]] + weight[edge] - ratio * bulks[edge];
      if (reached <= longest[to[edge]] + rounding * Math.max(ratio, Math.abs(reached))) continue;
      longest[to[edge]] = reached;
      cameBy[to[edge]] = edge;
      changed = true;
    }
    if (!changed) return undefined;
    const cycle = cycleAmong(cameBy, from);
    if (cycle !== undefined) return cycle;
  }
  throw new Error('longest paths without a cycle end after as many sweeps as there are events');
}

/** The edges of a cycle among the edges by which the events were reached last. Such a cycle exists as soon as some cycle has positive length. */
function cycleAmong(cameBy: Int32Array, from: readonly number[]): readonly number[] | undefined {
  const seenFrom = new Int32Array(cameBy.length).fill(none);
  for (let start = 0; start < cameBy.length; start++) {
    let at = start;
    while (seenFrom[at] === none && cameBy[at] !== none) {
      seenFrom[at] = start;
      at = from[cameBy[at]];
    }
    if (cameBy[at] === none || seenFrom[at] !== start) continue;
    const cycle: number[] = [];
    let event = at;
    do {
      cycle.push(cameBy[event]);
      event = from[cameBy[event]];
    } while (event !== at);
    return cycle;
  }
  return undefined;
}

/** The greatest ratio of a cycle's length to the bulks it spans: how closely bulks can follow each other at best. */

import { none } from '../../../ir/none.ts';
import { rounding } from '../../../ir/units.ts';

/**
 * "Event v happens at least `weight` after event u, `bulks` bulks earlier", in columns. Every cycle must span a bulk or more.
 */
export interface Precedences {
  readonly events: number;
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly weight: readonly number[];
  readonly bulks: readonly number[];
}

/**
 * The greatest Σ weight / Σ bulks over all cycles, and 0 if there is none: by Newton's method from below (Lawler 1976, in the form
 * of Dasdan 2004). For a ratio λ, an edge is `weight − λ · bulks` long; a cycle of positive length has a greater ratio, which is
 * the next λ, and without one λ is the answer.
 *
 * @param atLeast a ratio that is of interest only if it is exceeded, to begin with
 * @returns the ratio, or `atLeast` where no cycle exceeds it
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

/** Edges in an order in which one sweep settles whatever happens within a bulk; those between bulks come last. */
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

/** The edges of a cycle of positive length, found by longest paths (Bellman–Ford), or undefined. */
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

/** A cycle of the edges by which events were reached last; there is one as soon as some cycle is longer than nothing. */
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

/**
 * Finds orders in which ranks play the roles of a schedule such that links are loaded evenly, for one schedule or for
 * two that share the message.
 */

import { Random } from '../ir/random.ts';
import type { Routes } from '../ir/routes.ts';
import { bettering } from './limits.ts';
import { addLoads, greatest, noLoads, type PairDemand, type ResourceLoads } from './loads.ts';

/** The shares of the message that use the original order and the other order. */
export type Division = readonly [before: number, other: number];

const divisions: readonly Division[] = [
  [1, 1],
  [2, 1],
  [1, 2],
  [3, 1],
  [4, 1],
  [3, 2],
  [5, 1],
];

export interface Partner {
  readonly order: readonly number[];
  readonly division: Division;
  /** Load of the busiest link or port, in seconds per byte. */
  readonly load: number;
}

/** A request for orders of part of the message. */
export interface OtherOrders {
  /** Orders from which the search starts. */
  readonly starts: readonly (readonly number[])[];
  /** The rank that must play its own role, −1 if none. */
  readonly fixed: number;
  /** The first channel of that part. */
  readonly firstChannel: number;
}

/**
 * Orders that part of the message may use beside the original order, best first. From each start, ranks are exchanged
 * or runs of ranks reversed (2-opt) while that reduces the load of the busiest link, or balances the loads.
 * @param loads of the original schedule
 */
export function partnerOrders(
  demands: readonly PairDemand[],
  loads: ResourceLoads,
  routes: Routes,
  { starts, fixed, firstChannel }: OtherOrders,
): readonly Partner[] {
  const ranks = routes.topology.chips.length;
  const random = new Random(ranks);
  const shuffled = Array.from({ length: bettering.randomStarts }, () => shuffledOrder(ranks, fixed, random));
  const effort = { left: bettering.ordersWork };
  const rate = (order: readonly number[]): Rating => {
    effort.left -= demands.length + loads.length;
    const others = noLoads(routes);
    addLoads(others, demands, routes, order, firstChannel);
    return bestDivision(loads, others);
  };
  const found = [...starts, ...shuffled].flatMap((start) => {
    if (effort.left <= 0) return [];
    const order = [...start];
    hillClimb(order, fixed, effort, (changed) => rate(changed).unevenness);
    const { division, load } = rate(order);
    return { order, division, load };
  });
  return found.sort((a, b) => a.load - b.load);
}

/** Hill climbing from `order`, in place: exchanges two ranks, or reverses a run, while the rating decreases. */
function hillClimb(
  order: number[],
  fixed: number,
  effort: { left: number },
  rate: (order: readonly number[]) => number,
): void {
  let best = rate(order);
  for (let improved = true; improved && effort.left > 0; ) {
    improved = false;
    for (let a = 0; a < order.length && effort.left > 0; a++) {
      for (let b = a + 1; b < order.length; b++) {
        for (const change of [exchange, turnRound]) {
          change(order, a, b);
          const rating = fixed < 0 || order[fixed] === fixed ? rate(order) : Number.POSITIVE_INFINITY;
          if (rating < best * (1 - 1e-9)) {
            best = rating;
            improved = true;
          } else change(order, a, b);
        }
      }
    }
  }
}

/**
 * A norm in which large loads dominate. The maximum alone would not do, since hardly any single exchange reduces it.
 */
function norm(loads: ResourceLoads): number {
  return loads.reduce((sum, load) => sum + load ** 4, 0) ** 0.25;
}

/** Its own inverse, as is `turnRound`. */
function exchange(order: number[], a: number, b: number): void {
  [order[a], order[b]] = [order[b], order[a]];
}

/** Reverses the order between two ranks, inclusive: the most effective move on tours (2-opt). */
function turnRound(order: number[], a: number, b: number): void {
  for (let [low, high] = [a, b]; low < high; low++, high--) exchange(order, low, high);
}

interface Rating {
  readonly division: Division;
  readonly load: number;
  readonly unevenness: number;
}

function bestDivision(loads: ResourceLoads, others: ResourceLoads): Rating {
  let best: Rating = { division: divisions[0], load: Number.POSITIVE_INFINITY, unevenness: Number.POSITIVE_INFINITY };
  for (const division of divisions) {
    const [before, other] = division;
    const both = loads.map((load, index) => (before * load + other * others[index]) / (before + other));
    const unevenness = norm(both);
    if (unevenness < best.unevenness * (1 - 1e-9)) best = { division, load: greatest(both), unevenness };
  }
  return best;
}

function shuffledOrder(ranks: number, fixed: number, random: Random): readonly number[] {
  const others = random.shuffle(Array.from({ length: ranks }, (_, rank) => rank).filter((rank) => rank !== fixed));
  return fixed < 0 ? others : others.toSpliced(fixed, 0, fixed);
}

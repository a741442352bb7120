/**
 * The very cheapest trees in rounds between few ranks: dynamic programming over the sets of ranks that a tree reaches (Dreyfus and Wagner
 * 1971). A rank that has the data passes it on to another, or waits, or does both of two things for two parts of the others.
 */
import { looksPerWork } from './limits.ts';
import type { Hop } from './problem.ts';
import type { TreeRounds } from './trees.ts';

/** What the trees of all ranks and sets take, as limits count work (limits.ts). */
export function workOfSets({ ranks }: Pick<TreeRounds, 'ranks'>, rounds: number): number {
  return (rounds * ranks * 3 ** (ranks - 1)) / looksPerWork;
}

export class CheapestTrees {
  private readonly over: TreeRounds;
  private readonly prices: Float64Array;
  private readonly outgoing: readonly (readonly number[])[];
  private readonly sets: number;
  /** Of trees in so many rounds, by rank and set: what the cheapest one costs that reaches the set from the rank. */
  private readonly costs: Float64Array[] = [];

  /** @param over all rounds: trees may have the last ones of them */
  constructor(over: TreeRounds, prices: Float64Array) {
    this.over = over;
    this.prices = prices;
    this.sets = 1 << over.ranks;
    const outgoing: number[][] = Array.from({ length: over.ranks }, () => []);
    over.from.forEach((rank, way) => {
      outgoing[rank].push(way);
    });
    this.outgoing = outgoing;
    const none = new Float64Array(over.ranks * this.sets).fill(Number.POSITIVE_INFINITY);
    for (let rank = 0; rank < over.ranks; rank++) none[rank * this.sets] = 0;
    this.costs.push(none);
    for (let left = 1; left <= over.rounds; left++) this.costs.push(this.layer(left));
  }

  /**
   * The hops of a cheapest tree, ascending.
   *
   * @param rounds that it may take, the last of all
   * @returns undefined where there are too few
   */
  hops({ rounds }: Pick<TreeRounds, 'rounds'>, root: number, targets: readonly number[]): Hop[] | undefined {
    let set = 0;
    for (const target of targets) if (target !== root) set |= 1 << target;
    if (this.costs[rounds][root * this.sets + set] === Number.POSITIVE_INFINITY) return undefined;
    const { to } = this.over;
    // Where hops cost nothing, two parts may go the same way, or meet: who has the data needs it no more.
    const has = new Set([root]);
    return [...this.part(root, set, rounds)]
      .sort((a, b) => b.left - a.left)
      .filter(({ way }) => !has.has(to[way]) && has.add(to[way]))
      .map(({ left, way }) => this.hopOf(left, way))
      .sort((a, b) => a - b);
  }

  /** Over a way in the first of so many rounds that are left. */
  private hopOf(left: number, way: number): Hop {
    const { rounds, first, step } = this.over;
    return first + (rounds - left) * step + way;
  }

  private layer(left: number): Float64Array {
    const { over, sets, outgoing, prices } = this;
    const later = this.costs[left - 1];
    const costs = new Float64Array(over.ranks * sets);
    for (let rank = 0; rank < over.ranks; rank++) {
      const first = rank * sets;
      for (let set = 0; set < sets; set++) {
        if (((set >> rank) & 1) === 1) continue;
        let least = later[first + set];
        for (const way of outgoing[rank]) {
          const next = over.to[way];
          least = Math.min(least, prices[this.hopOf(left, way)] + later[next * sets + (set & ~(1 << next))]);
        }
        // The part with the lowest rank, so that no pair of parts is looked at twice.
        const lowest = set & -set;
        for (let part = (set - 1) & set; part > 0; part = (part - 1) & set) {
          if ((part & lowest) !== 0) least = Math.min(least, costs[first + part] + costs[first + (set ^ part)]);
        }
        costs[first + set] = least;
      }
    }
    return costs;
  }

  /** What made the cost of a set: the same choices again, until one of them gives it. */
  private *part(rank: number, set: number, left: number): Iterable<{ readonly left: number; readonly way: number }> {
    if (set === 0) return;
    const { over, sets, outgoing, prices } = this;
    const [now, later] = [this.costs[left], this.costs[left - 1]];
    const first = rank * sets;
    if (later[first + set] === now[first + set]) return yield* this.part(rank, set, left - 1);
    for (const way of outgoing[rank]) {
      const next = over.to[way];
      const rest = set & ~(1 << next);
      if (prices[this.hopOf(left, way)] + later[next * sets + rest] !== now[first + set]) continue;
      yield { left, way };
      return yield* this.part(next, rest, left - 1);
    }
    for (let part = (set - 1) & set; part > 0; part = (part - 1) & set) {
      if (now[first + part] + now[first + (set ^ part)] !== now[first + set]) continue;
      yield* this.part(rank, part, left);
      return yield* this.part(rank, set ^ part, left);
    }
  }
}

/**
 * Local search for short rings: nearest neighbour, then 2-opt and or-opt moves until none helps, then repeated from
 * slightly perturbed rings (iterated local search with double-bridge kicks: Martin, Otto and Felten, "Large-step Markov
 * chains for the traveling salesman problem", 1991). The kicks come from a fixed pseudo-random sequence, so the result
 * is deterministic.
 */
import type { Effort } from '../../ir/effort.ts';
import { ringSearchLimits } from './limits.ts';

/** Consecutive unsuccessful kicks after which a quick search ends, divided by the number of ranks. */
const mostInVain = 1 << 14;

/**
 * Returns a short ring through all ranks, starting with rank 0, never longer than 0, 1, …, N − 1. `hops[from * ranks +
 * to]` ≥ 1 is the length of an edge, possibly asymmetric.
 */
export function improveRing(hops: Float64Array, ranks: number, effort: Effort): number[] {
  const identity = Array.from({ length: ranks }, (_, rank) => rank);
  const search = new RingSearch(hops, ranks);
  let best = search.improve(identity);
  let least = search.length(best);
  const consider = (order: number[]): void => {
    const length = search.length(order);
    if (length > least) return;
    best = order;
    least = length;
  };
  consider(search.improve(nearestNeighbours(hops, ranks)));
  const random = new KickSequence();
  const patience = effort === 'quick' ? mostInVain / ranks : ringSearchLimits.kicks;
  let inVain = 0;
  for (let kick = 0; kick < ringSearchLimits.kicks && inVain < patience && least > ranks && !search.exhausted; kick++) {
    const before = least;
    consider(search.improve(random.disturb(best)));
    inVain = least < before ? 0 : inVain + 1;
  }
  return best;
}

/** Double-bridge moves at pseudo-random positions: two adjacent parts of the ring are exchanged. */
class KickSequence {
  private state = 1;

  disturb(order: readonly number[]): number[] {
    const [a, b, c] = [this.below(order.length), this.below(order.length), this.below(order.length)]
      .map((place) => Math.max(1, place))
      .sort((x, y) => x - y);
    return [...order.slice(0, a), ...order.slice(b, c), ...order.slice(a, b), ...order.slice(c)];
  }

  /** The linear congruential generator of Park and Miller, "Random number generators: good ones are hard to find", 1988. */
  private below(limit: number): number {
    this.state = (this.state * 48_271) % 2_147_483_647;
    return this.state % limit;
  }
}

function nearestNeighbours(hops: Float64Array, ranks: number): number[] {
  const order = [0];
  const unused = new Set(Array.from({ length: ranks - 1 }, (_, i) => i + 1));
  while (unused.size > 0) {
    const last = order[order.length - 1];
    let nearest = -1;
    for (const rank of unused) {
      if (nearest === -1 || hops[last * ranks + rank] < hops[last * ranks + nearest]) nearest = rank;
    }
    order.push(nearest);
    unused.delete(nearest);
  }
  return order;
}

class RingSearch {
  private readonly hops: Float64Array;
  private readonly ranks: number;
  private budget = ringSearchLimits.moves;
  private order: number[] = [];
  /** Prefix lengths of the ring up to each position, in both directions. */
  private readonly forward: Float64Array;
  private readonly backward: Float64Array;

  constructor(hops: Float64Array, ranks: number) {
    this.hops = hops;
    this.ranks = ranks;
    this.forward = new Float64Array(ranks);
    this.backward = new Float64Array(ranks);
  }

  /** True if the budget of move evaluations is used up. */
  get exhausted(): boolean {
    return this.budget <= 0;
  }

  length(order: readonly number[]): number {
    return order.reduce((sum, rank, at) => sum + this.edge(rank, order[(at + 1) % this.ranks]), 0);
  }

  /** Applies improving moves until none is left or the budget is used up. */
  improve(start: readonly number[]): number[] {
    this.order = [...start];
    this.measure();
    for (let helped = true; helped && this.budget > 0; ) {
      const turned = this.reverseRuns();
      const moved = this.moveRuns();
      helped = turned || moved;
    }
    return this.order;
  }

  private edge(from: number, to: number): number {
    return this.hops[from * this.ranks + to];
  }

  private measure(): void {
    this.budget -= ringSearchLimits.workPerMove * this.ranks;
    for (let at = 1; at < this.ranks; at++) {
      this.forward[at] = this.forward[at - 1] + this.edge(this.order[at - 1], this.order[at]);
      this.backward[at] = this.backward[at - 1] + this.edge(this.order[at], this.order[at - 1]);
    }
  }

  /** 2-opt: reverses runs of ranks. */
  private reverseRuns(): boolean {
    let helped = false;
    for (let first = 1; first < this.ranks - 1 && this.budget > 0; first++) {
      this.budget -= this.ranks - first;
      for (let last = first + 1; last < this.ranks; last++) {
        if (this.reversalGain(first, last) <= 0) continue;
        this.order = [
          ...this.order.slice(0, first),
          ...this.order.slice(first, last + 1).reverse(),
          ...this.order.slice(last + 1),
        ];
        this.measure();
        helped = true;
      }
    }
    return helped;
  }

  private reversalGain(first: number, last: number): number {
    const { order, forward, backward } = this;
    const before = order[first - 1];
    const behind = order[(last + 1) % this.ranks];
    const now = this.edge(before, order[first]) + forward[last] - forward[first] + this.edge(order[last], behind);
    return now - (this.edge(before, order[last]) + backward[last] - backward[first] + this.edge(order[first], behind));
  }

  /** Or-opt: moves short runs of ranks elsewhere. */
  private moveRuns(): boolean {
    let helped = false;
    for (let run = 1; run <= ringSearchLimits.longestRun; run++) {
      for (let first = 1; first + run <= this.ranks && this.budget > 0; first++) {
        this.budget -= this.ranks;
        const behind = this.bestPlace(first, run);
        if (behind === -1) continue;
        this.moveRun(first, run, behind);
        this.measure();
        helped = true;
      }
    }
    return helped;
  }

  /** The position after which the run gains most, or −1 if it is best where it is. */
  private bestPlace(first: number, run: number): number {
    const { order, ranks } = this;
    const head = order[first];
    const tail = order[first + run - 1];
    const before = order[first - 1];
    const behind = order[(first + run) % ranks];
    let least = this.edge(before, head) + this.edge(tail, behind) - this.edge(before, behind);
    let best = -1;
    for (let at = 0; at < ranks; at++) {
      if (at >= first - 1 && at < first + run) continue;
      const left = order[at];
      const right = order[(at + 1) % ranks];
      const cost = this.edge(left, head) + this.edge(tail, right) - this.edge(left, right);
      if (cost >= least) continue;
      least = cost;
      best = at;
    }
    return best;
  }

  private moveRun(first: number, run: number, behind: number): void {
    const moved = this.order.slice(first, first + run);
    const others = [...this.order.slice(0, first), ...this.order.slice(first + run)];
    const at = behind < first ? behind + 1 : behind + 1 - run;
    this.order = [...others.slice(0, at), ...moved, ...others.slice(at)];
  }
}

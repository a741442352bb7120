/** Local search for short rings: nearest neighbour, then 2-opt and or-opt moves as long as they help. */

/** Moves that may be looked at in all: about a second. */
const searchBudget = 50_000_000;
/** Longest run of ranks that or-opt moves elsewhere. */
const longestRun = 3;

/**
 * A short ring through all ranks, from rank 0 on; never longer than 0, 1, …, N − 1. `hops[from * ranks + to]` is the length of an edge,
 * which may differ between directions.
 */
export function improveRing(hops: Float64Array, ranks: number): number[] {
  const identity = Array.from({ length: ranks }, (_, rank) => rank);
  const search = new RingSearch(hops, ranks);
  const starts = [identity, nearestNeighbours(hops, ranks)];
  let best = identity;
  for (const start of starts) {
    const order = search.improve(start);
    if (search.length(order) < search.length(best)) best = order;
  }
  return best;
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
  private budget = searchBudget;
  private order: number[] = [];
  /** Lengths of the way from position 0 to each position, along the ring and against it. */
  private readonly forward: Float64Array;
  private readonly backward: Float64Array;

  constructor(hops: Float64Array, ranks: number) {
    this.hops = hops;
    this.ranks = ranks;
    this.forward = new Float64Array(ranks);
    this.backward = new Float64Array(ranks);
  }

  length(order: readonly number[]): number {
    return order.reduce((sum, rank, at) => sum + this.edge(rank, order[(at + 1) % this.ranks]), 0);
  }

  /** Applies the first move that helps, again and again, until none does or the budget is used up. */
  improve(start: readonly number[]): number[] {
    this.order = [...start];
    this.measure();
    while (this.budget > 0 && (this.reverseSomething() || this.moveSomething())) this.measure();
    return this.order;
  }

  private edge(from: number, to: number): number {
    return this.hops[from * this.ranks + to];
  }

  private measure(): void {
    for (let at = 1; at < this.ranks; at++) {
      this.forward[at] = this.forward[at - 1] + this.edge(this.order[at - 1], this.order[at]);
      this.backward[at] = this.backward[at - 1] + this.edge(this.order[at], this.order[at - 1]);
    }
  }

  /** 2-opt: turns round the run first … last. */
  private reverseSomething(): boolean {
    const { order, ranks, forward, backward } = this;
    for (let first = 1; first < ranks - 1; first++) {
      for (let last = first + 1; last < ranks; last++) {
        const next = order[(last + 1) % ranks];
        const old =
          this.edge(order[first - 1], order[first]) + forward[last] - forward[first] + this.edge(order[last], next);
        const turned =
          this.edge(order[first - 1], order[last]) + backward[last] - backward[first] + this.edge(order[first], next);
        if (turned >= old) continue;
        this.order = [...order.slice(0, first), ...order.slice(first, last + 1).reverse(), ...order.slice(last + 1)];
        return true;
      }
      this.budget -= ranks - first;
    }
    return false;
  }

  /** Or-opt: takes out a run of up to three ranks and puts it in elsewhere. */
  private moveSomething(): boolean {
    const { order, ranks } = this;
    for (let run = 1; run <= longestRun; run++) {
      for (let first = 1; first + run <= ranks; first++) {
        const head = order[first];
        const tail = order[first + run - 1];
        const before = order[first - 1];
        const behind = order[(first + run) % ranks];
        const gain = this.edge(before, head) + this.edge(tail, behind) - this.edge(before, behind);
        this.budget -= ranks;
        for (let at = 0; at < ranks; at++) {
          if (at >= first - 1 && at < first + run) continue;
          const left = order[at];
          const right = order[(at + 1) % ranks];
          if (this.edge(left, head) + this.edge(tail, right) - this.edge(left, right) >= gain) continue;
          this.moveRun(first, run, at);
          return true;
        }
      }
    }
    return false;
  }

  private moveRun(first: number, run: number, behind: number): void {
    const moved = this.order.slice(first, first + run);
    const others = [...this.order.slice(0, first), ...this.order.slice(first + run)];
    const at = behind < first ? behind + 1 : behind + 1 - run;
    this.order = [...others.slice(0, at), ...moved, ...others.slice(at)];
  }
}

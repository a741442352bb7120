/**
 * The cheapest trees of a network in rounds: from one rank to others, where data moves over at most one way each round and may wait
 * anywhere. To find the very cheapest is the Steiner problem; here the nearest rank that is missing joins over the cheapest path
 * (Takahashi and Matsuyama 1980), and then every rank takes the cheapest way in that there is for it.
 */

import type { Random } from '../../ir/random.ts';
import { sumError } from '../../ir/units.ts';
import type { Hop } from './columns.ts';

/** What a search needs to know of a network; of one with its ways turned round, `from` and `to` change places. */
export interface TreeNetwork {
  readonly ranks: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
}

export interface TreeOptions {
  /** Only so many rounds are used; all if left out. */
  readonly rounds?: number;
  /** Ranks join in any order instead of the nearest first. */
  readonly random?: Random | undefined;
}

export class TreeSearch {
  private readonly network: TreeNetwork;
  private readonly rounds: number;
  /** By round (before the first, after each) and rank: what it costs to be there by then, and the way that was last, −1 for none. */
  private readonly cost: Float64Array;
  private readonly way: Int32Array;
  /** By rank: after how many rounds it has the data, and the hop that brought it; −1 at the source. */
  private readonly arrival: Int32Array;
  private readonly into: Int32Array;

  constructor(network: TreeNetwork, rounds: number) {
    this.network = network;
    this.rounds = rounds;
    this.cost = new Float64Array((rounds + 1) * network.ranks);
    this.way = new Int32Array((rounds + 1) * network.ranks);
    this.arrival = new Int32Array(network.ranks);
    this.into = new Int32Array(network.ranks);
  }

  /**
   * @param targets the ranks to reach: all, or one
   * @param prices by hop, 0 or more
   * @returns the hops of a tree, ascending; undefined where not all can be reached in time
   */
  tree(
    source: number,
    targets: readonly number[],
    prices: Float64Array,
    { rounds: last = this.rounds, random }: TreeOptions = {},
  ): Hop[] | undefined {
    const { arrival, into } = this;
    arrival.fill(never);
    into.fill(-1);
    arrival[source] = 0;
    const missing = new Set(targets);
    missing.delete(source);
    while (missing.size > 0) {
      this.spread(prices, last);
      const next = random === undefined ? this.nearest(missing, last) : this.any(missing, last, random);
      if (next === undefined) return undefined;
      this.join(next, last, missing);
    }
    this.improve(source, prices, last);
    const hops: Hop[] = [];
    for (const hop of into) if (hop >= 0) hops.push(hop);
    return hops.sort((a, b) => a - b);
  }

  /** What it costs to be anywhere at any time, starting from where the tree is. */
  private spread(prices: Float64Array, last: number): void {
    const { cost, way, arrival } = this;
    const { ranks, from, to } = this.network;
    const ways = from.length;
    for (let rank = 0; rank < ranks; rank++) {
      cost[rank] = arrival[rank] === 0 ? 0 : Number.POSITIVE_INFINITY;
      way[rank] = -1;
    }
    for (let round = 0; round < last; round++) {
      const [now, after] = [round * ranks, (round + 1) * ranks];
      for (let rank = 0; rank < ranks; rank++) {
        cost[after + rank] = arrival[rank] <= round + 1 ? 0 : cost[now + rank];
        way[after + rank] = -1;
      }
      for (let w = 0; w < ways; w++) {
        const through = cost[now + from[w]] + prices[round * ways + w];
        if (through >= cost[after + to[w]]) continue;
        cost[after + to[w]] = through;
        way[after + to[w]] = w;
      }
    }
  }

  private nearest(missing: ReadonlySet<number>, last: number): number | undefined {
    let best: number | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const rank of missing) {
      const there = this.cost[last * this.network.ranks + rank];
      if (there >= least) continue;
      least = there;
      best = rank;
    }
    return best;
  }

  private any(missing: ReadonlySet<number>, last: number, random: Random): number | undefined {
    const there = last * this.network.ranks;
    const reachable = [...missing].filter((rank) => this.cost[there + rank] < Number.POSITIVE_INFINITY);
    return reachable.length < missing.size ? undefined : reachable[random.below(reachable.length)];
  }

  /** Adds the path to a rank. */
  private join(rank: number, last: number, missing: Set<number>): void {
    const { way, arrival, into } = this;
    const { ranks, from } = this.network;
    let [at, time] = [rank, last];
    while (arrival[at] > time) {
      const w = way[time * ranks + at];
      time--;
      if (w < 0) continue;
      arrival[at] = time + 1;
      into[at] = time * from.length + w;
      missing.delete(at);
      at = from[w];
    }
  }

  /** Gives each rank a cheaper way in, in time for what it passes on, until there is none. */
  private improve(source: number, prices: Float64Array, last: number): void {
    const { arrival, into } = this;
    const { ranks, from, to } = this.network;
    const ways = from.length;
    const leaves = new Int32Array(ranks);
    for (let changed = true; changed; ) {
      changed = false;
      leaves.fill(last);
      for (const hop of into) {
        if (hop >= 0) leaves[from[hop % ways]] = Math.min(leaves[from[hop % ways]], Math.floor(hop / ways));
      }
      for (let w = 0; w < ways && !changed; w++) {
        const rank = to[w];
        if (rank === source || into[rank] < 0) continue;
        for (let round = arrival[from[w]]; round < leaves[rank]; round++) {
          const hop = round * ways + w;
          if (prices[hop] >= prices[into[rank]] - sumError) continue;
          into[rank] = hop;
          arrival[rank] = round + 1;
          changed = true;
        }
      }
    }
  }
}

/** After more rounds than there are. */
const never = 2 ** 30;

/** Cheapest ways made of hops, messages between chips that meet no other chip on their way, and what hops hold of the machine. */
import { NearestFirst } from '../../cost/nearest-first.ts';
import type { Routes } from '../../ir/routes.ts';
import { type ArcNetwork, arcNetwork } from '../arcs.ts';

export interface Hops extends ArcNetwork {
  /** For how long a hop holds what it holds for longest, of all hops the longest, in seconds per byte. */
  readonly slowest: number;
}

export function hopsOf(routes: Routes): Hops {
  const network = arcNetwork(routes);
  return {
    ...network,
    slowest: network.arcs.reduce((most, { secondsPerByte }) => Math.max(most, ...secondsPerByte), 0),
  };
}

/** The cheapest ways from a rank, for prices of hops. */
export interface WaysFrom {
  /** By rank: what they cost; Infinity where no way leads. */
  readonly costs: Float64Array;
  /** Indices of the hops of the way to a rank; none where no way leads. */
  to(rank: number): number[];
}

/** @param until the only rank of interest; of equally good ways to it any is taken */
export function waysFrom({ ranks, arcs, outgoing }: Hops, prices: Float64Array, from: number, until = -1): WaysFrom {
  const last = new Int32Array(ranks).fill(-1);
  const search = new NearestFirst(ranks);
  search.reach(from, 0);
  for (let at = search.next(); at >= 0 && at !== until; at = search.next()) {
    for (const hop of outgoing[at]) {
      const { to } = arcs[hop];
      const length = search.length[at] + prices[hop];
      // Where it costs the same, past lower ranks: what it is combined with is there sooner.
      const isLower = until < 0 && length <= search.length[to] * (1 + 1e-12) && at < arcs[last[to]]?.from;
      if (search.reach(to, length) || isLower) last[to] = hop;
    }
  }
  const to = (rank: number): number[] => {
    const way: number[] = [];
    for (let at = rank; last[at] >= 0; at = arcs[last[at]].from) way.push(last[at]);
    return way.reverse();
  };
  return { costs: search.length, to };
}

/** What a hop costs beside what it holds, in parts of holding an idle resource: of equally good ways the short ones are taken. */
const leastPrice = 1e-3;

/** For how long hops hold links and ports, in seconds for each byte of a chunk, and what one chunk more costs: the more, the busier what it holds is. */
export class Loads {
  /** By hop. */
  readonly prices: Float64Array;
  private readonly hops: Hops;
  private readonly loads: Float64Array;
  /** By resource: the hops that hold it. */
  private readonly holders: readonly number[][];
  private scale = 0;

  constructor(hops: Hops) {
    this.hops = hops;
    this.loads = new Float64Array(hops.resources);
    this.prices = new Float64Array(hops.arcs.length);
    this.holders = Array.from({ length: hops.resources }, () => []);
    for (const [hop, { resources }] of hops.arcs.entries())
      for (const resource of resources) this.holders[resource].push(hop);
    this.rescale();
  }

  /** Prices stay as they are. @param times how often each hop of a way is taken; negative to undo that */
  put(way: readonly number[], times: number): void {
    for (const hop of way) {
      const { resources, secondsPerByte: seconds } = this.hops.arcs[hop];
      resources.forEach((resource, index) => {
        this.loads[resource] = Math.max(0, this.loads[resource] + times * seconds[index]);
      });
    }
  }

  /** As `put`, and hops that hold any of it cost what they do now, against what is dear since `rescale`. */
  reput(way: readonly number[], times: number): void {
    this.put(way, times);
    const held = new Set(way.flatMap((hop) => this.hops.arcs[hop].resources));
    const changed = new Set([...held].flatMap((resource) => this.holders[resource]));
    for (const hop of changed) this.prices[hop] = this.priceOf(hop);
  }

  busiest(): number {
    return this.loads.reduce((most, load) => Math.max(most, load), 0);
  }

  /** What is held for as long as the busiest is dear, until the next time. */
  rescale(): void {
    this.scale = Math.max(this.busiest(), this.hops.slowest);
    for (const hop of this.prices.keys()) this.prices[hop] = this.priceOf(hop);
  }

  private priceOf(hop: number): number {
    const { resources, secondsPerByte: seconds } = this.hops.arcs[hop];
    let price = leastPrice;
    for (let index = 0; index < resources.length; index++) {
      const share = (this.loads[resources[index]] + seconds[index]) / this.scale;
      const [square, idle] = [share * share, seconds[index] / this.hops.slowest];
      price += idle * (square * square * square * square + leastPrice);
    }
    return price;
  }
}

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
  /** Hops that were looked at. */
  readonly looks: number;
  /** Indices of the hops of the way to a rank; none where no way leads. */
  to(rank: number): number[];
}

/** @param until the only rank of interest; of equally good ways to it any is taken */
export function waysFrom({ ranks, arcs, outgoing }: Hops, prices: Float64Array, from: number, until = -1): WaysFrom {
  const last = new Int32Array(ranks).fill(-1);
  const search = new NearestFirst(ranks);
  search.reach(from, 0);
  let looks = ranks;
  for (let at = search.next(); at >= 0 && at !== until; at = search.next()) {
    looks += outgoing[at].length;
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
  return { costs: search.length, looks, to };
}

/** What a hop costs beside what it holds, in parts of holding an idle resource: of equally good ways the short ones are taken. */
const leastPrice = 1e-3;

/** For how long hops hold links and ports, in seconds for each byte of a chunk, and what one chunk more costs: the more, the busier what it holds is. */
export class Loads {
  /** By hop. */
  readonly prices: Float64Array;
  private readonly hops: Hops;
  private readonly loads: Float64Array;
  /** By hop: what it pays for each resource that it holds. */
  private readonly parts: readonly Float64Array[];
  /** By resource: the hops that hold it, and which of their resources it is. */
  private readonly holders: readonly { readonly hop: number; readonly index: number }[][];
  private scale = 0;

  constructor(hops: Hops) {
    this.hops = hops;
    this.loads = new Float64Array(hops.resources);
    this.prices = new Float64Array(hops.arcs.length);
    this.parts = hops.arcs.map(({ resources }) => new Float64Array(resources.length));
    this.holders = Array.from({ length: hops.resources }, () => []);
    for (const [hop, { resources }] of hops.arcs.entries())
      for (const [index, resource] of resources.entries()) this.holders[resource].push({ hop, index });
    this.rescale();
  }

  /** @param times how often each hop of a way is taken; negative to undo that. Prices follow, against what is dear since `rescale` */
  put(way: readonly number[], times: number): void {
    for (const hop of way) {
      const { resources, secondsPerByte: seconds } = this.hops.arcs[hop];
      for (const [index, resource] of resources.entries()) {
        this.loads[resource] = Math.max(0, this.loads[resource] + times * seconds[index]);
        for (const holder of this.holders[resource]) {
          this.pay(holder.hop, holder.index);
          this.sumUp(holder.hop);
        }
      }
    }
  }

  busiest(): number {
    return this.loads.reduce((most, load) => Math.max(most, load), 0);
  }

  /** What is held for as long as the busiest is dear, until the next time. */
  rescale(): void {
    this.scale = Math.max(this.busiest(), this.hops.slowest);
    for (const [hop, parts] of this.parts.entries()) {
      for (const index of parts.keys()) this.pay(hop, index);
      this.sumUp(hop);
    }
  }

  /** Of holding for longer what is held so long already. */
  private pay(hop: number, index: number): void {
    const { resources, secondsPerByte } = this.hops.arcs[hop];
    const share = (this.loads[resources[index]] + secondsPerByte[index]) / this.scale;
    const [square, idle] = [share * share, secondsPerByte[index] / this.hops.slowest];
    this.parts[hop][index] = idle * (square * square * square * square + leastPrice);
  }

  private sumUp(hop: number): void {
    const parts = this.parts[hop];
    let price = leastPrice;
    for (let index = 0; index < parts.length; index++) price += parts[index];
    this.prices[hop] = price;
  }
}

/** Cheapest ways made of hops, messages between chips that meet no other chip on their way, and what hops hold of the machine. */
import { NearestFirst } from '../../cost/nearest-first.ts';
import type { Routes } from '../../ir/routes.ts';
import { type ArcNetwork, arcNetwork } from '../arcs.ts';
import { distancesFrom } from '../distances.ts';

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

/** Hops from each rank to each other, by source; Infinity where no way leads. */
export function distancesOf({ ranks, arcs, outgoing }: Hops): readonly Float64Array[] {
  return outgoing.map((_, from) => distancesFrom(from, ranks, (at) => outgoing[at].map((hop) => arcs[hop].to)));
}

/** Cheapest ways between all ranks, for prices of hops. */
export class Ways {
  private readonly ranks: number;
  private readonly price: Float64Array;
  /** The hop that a cheapest way begins with. */
  private readonly first: Int32Array;
  private readonly hops: Hops;

  constructor(hops: Hops, prices: Float64Array) {
    const { ranks, arcs } = hops;
    this.hops = hops;
    this.ranks = ranks;
    this.price = new Float64Array(ranks * ranks).fill(Number.POSITIVE_INFINITY);
    this.first = new Int32Array(ranks * ranks).fill(-1);
    for (let rank = 0; rank < ranks; rank++) this.price[rank * ranks + rank] = 0;
    for (const [index, { from, to }] of arcs.entries()) {
      this.price[from * ranks + to] = prices[index];
      this.first[from * ranks + to] = index;
    }
    for (let middle = 0; middle < ranks; middle++) {
      for (let from = 0; from < ranks; from++) this.relax(from, middle);
    }
  }

  private relax(from: number, middle: number): void {
    const { ranks, price, first } = this;
    const before = price[from * ranks + middle];
    for (let to = 0; to < ranks; to++) {
      const through = before + price[middle * ranks + to];
      if (through >= price[from * ranks + to] * (1 - 1e-12)) continue;
      price[from * ranks + to] = through;
      first[from * ranks + to] = first[from * ranks + middle];
    }
  }

  between(from: number, to: number): number {
    return this.price[from * this.ranks + to];
  }

  /** Indices of the hops of a cheapest way. */
  way(from: number, to: number): number[] {
    const way: number[] = [];
    for (let at = from; at !== to; at = this.hops.arcs[way[way.length - 1]].to) {
      way.push(this.first[at * this.ranks + to]);
    }
    return way;
  }
}

/** Indices of the hops of a cheapest way from one rank to another; none where there is no way. */
export function cheapestWay({ ranks, arcs, outgoing }: Hops, prices: Float64Array, from: number, to: number): number[] {
  const last = new Int32Array(ranks).fill(-1);
  const search = new NearestFirst(ranks);
  search.reach(from, 0);
  for (let at = search.next(); at >= 0 && at !== to; at = search.next()) {
    for (const hop of outgoing[at]) {
      if (search.reach(arcs[hop].to, search.length[at] + prices[hop])) last[arcs[hop].to] = hop;
    }
  }
  const way: number[] = [];
  for (let at = to; last[at] >= 0; at = arcs[last[at]].from) way.push(last[at]);
  return way.reverse();
}

/** What a hop costs beside what it holds, in parts of holding an idle resource: of equally good ways the short ones are taken. */
const leastPrice = 1e-3;

/** For how long hops hold links and ports, in seconds for each byte of a chunk. */
export class Loads {
  private readonly hops: Hops;
  private readonly loads: Float64Array;

  constructor(hops: Hops) {
    this.hops = hops;
    this.loads = new Float64Array(hops.resources);
  }

  /** @param times how often each hop of a way is taken; negative to undo that */
  put(way: readonly number[], times: number): void {
    for (const hop of way) {
      const { resources, secondsPerByte: seconds } = this.hops.arcs[hop];
      resources.forEach((resource, index) => {
        this.loads[resource] = Math.max(0, this.loads[resource] + times * seconds[index]);
      });
    }
  }

  busiest(): number {
    return this.loads.reduce((most, load) => Math.max(most, load), 0);
  }

  /** What is held for so long is dear. */
  scale(): number {
    return Math.max(this.busiest(), this.hops.slowest);
  }

  /** By hop: the price of one chunk more, which is the higher the busier what it holds is. */
  prices(scale: number): Float64Array {
    return Float64Array.from(this.hops.arcs, (_, hop) => this.priceOf(hop, scale));
  }

  priceOf(hop: number, scale: number): number {
    const { resources, secondsPerByte: seconds } = this.hops.arcs[hop];
    let price = leastPrice;
    for (let index = 0; index < resources.length; index++) {
      const share = (this.loads[resources[index]] + seconds[index]) / scale;
      const [square, idle] = [share * share, seconds[index] / this.hops.slowest];
      price += idle * (square * square * square * square + leastPrice);
    }
    return price;
  }
}

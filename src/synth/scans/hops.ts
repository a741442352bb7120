/** Cheapest ways made of hops, messages between chips that meet no other chip on their way, and what hops hold of the machine. */
import { NearestFirst } from '../../graph/nearest-first.ts';
import type { Routes } from '../../ir/routes.ts';
import { type ArcNetwork, arcNetwork } from '../arcs.ts';

export interface Hops extends ArcNetwork {
  /** By hop: the ranks that it joins. */
  readonly sources: Int32Array;
  readonly destinations: Int32Array;
  /** By resource: the hops that hold it. */
  readonly holders: readonly (readonly number[])[];
  /** For how long a hop holds what it holds for longest, of all hops the longest, in seconds per byte. */
  readonly slowest: number;
}

export function hopsOf(routes: Routes): Hops {
  const network = arcNetwork(routes);
  const { arcs } = network;
  const holders: number[][] = Array.from({ length: network.resources }, () => []);
  for (const [hop, { resources }] of arcs.entries()) {
    for (const resource of resources) holders[resource].push(hop);
  }
  return {
    ...network,
    sources: Int32Array.from(arcs, ({ from }) => from),
    destinations: Int32Array.from(arcs, ({ to }) => to),
    holders,
    slowest: arcs.reduce((most, { secondsPerByte }) => Math.max(most, ...secondsPerByte), 0),
  };
}

/** Finds the cheapest ways, for prices of hops. */
export class CheapestPaths {
  /** Ranks and hops that have been looked at. */
  probes = 0;
  private readonly hops: Hops;
  private readonly search: NearestFirst;
  /** By rank: the last hop on the way to it; −1 where none leads. */
  private readonly last: Int32Array;

  constructor(hops: Hops) {
    this.hops = hops;
    this.search = new NearestFirst(hops.ranks);
    this.last = new Int32Array(hops.ranks);
  }

  /** By rank: what the way costs; Infinity where none leads. */
  costs(prices: Float64Array, from: number): Float64Array {
    this.spread(prices, from, -1, false);
    return this.search.length.slice();
  }

  /**
   * Indices of the hops of a way; none where none leads.
   *
   * @param isLow of equally good ways one past lower ranks: what it is combined with is there sooner; else any
   */
  path(prices: Float64Array, from: number, to: number, isLow = false): number[] {
    this.spread(prices, from, to, isLow);
    const way: number[] = [];
    for (let at = to; this.last[at] >= 0; at = this.hops.sources[this.last[at]]) way.push(this.last[at]);
    return way.reverse();
  }

  /** @param until the only rank of interest, if not negative */
  private spread(prices: Float64Array, from: number, until: number, isLow: boolean): void {
    const { search, last } = this;
    const { ranks, sources, destinations, outgoing } = this.hops;
    search.clear();
    last.fill(-1);
    search.reach(from, 0);
    this.probes += ranks;
    for (let at = search.next(); at >= 0 && at !== until; at = search.next()) {
      this.probes += outgoing[at].length;
      for (const hop of outgoing[at]) {
        const to = destinations[hop];
        const length = search.length[at] + prices[hop];
        const isSame = isLow && length <= search.length[to] * (1 + 1e-12);
        const isLower = isSame && last[to] >= 0 && at < sources[last[to]];
        if (search.reach(to, length) || isLower) last[to] = hop;
      }
    }
  }
}

/** What a hop costs beside what it holds, in parts of holding an idle resource: of equally good ways the short ones are taken. */
const leastPrice = 1e-3;

/** For how long hops hold links and ports, in seconds for each byte of a chunk, and what one chunk more costs: the more, the busier what it holds is. */
export class HopLoads {
  private readonly hops: Hops;
  /** By resource. */
  private readonly loads: Float64Array;
  /** By hop, when prices were asked for; and the resources that have another load since. */
  private readonly told: Float64Array;
  private readonly changed = new Set<number>();
  private scale = 0;

  constructor(hops: Hops, loads = new Float64Array(hops.resources)) {
    this.hops = hops;
    this.loads = loads;
    this.told = new Float64Array(hops.arcs.length);
    this.rescale();
  }

  /** The same, to go on by itself. */
  copy(): HopLoads {
    return new HopLoads(this.hops, this.loads.slice());
  }

  /** @param times how often each hop of a way is taken; negative to undo that */
  put(way: readonly number[], times: number): void {
    for (const hop of way) {
      const { resources, secondsPerByte: seconds } = this.hops.arcs[hop];
      for (const [index, resource] of resources.entries()) {
        this.loads[resource] = Math.max(0, this.loads[resource] + times * seconds[index]);
        this.changed.add(resource);
      }
    }
  }

  busiest(): number {
    return this.loads.reduce((most, load) => Math.max(most, load), 0);
  }

  /** What is held for as long as the busiest is dear, until the next time. */
  rescale(): void {
    this.scale = Math.max(this.busiest(), this.hops.slowest);
    for (const resource of this.loads.keys()) this.changed.add(resource);
  }

  /** By hop, for loads as they are: what is held for long, against what is dear since `rescale`, costs more. */
  prices(): Float64Array {
    const holders = new Set<number>();
    for (const resource of this.changed) {
      for (const hop of this.hops.holders[resource]) holders.add(hop);
    }
    this.changed.clear();
    for (const hop of holders) this.told[hop] = this.priceOf(hop);
    return this.told;
  }

  private priceOf(hop: number): number {
    const { slowest, arcs } = this.hops;
    const { resources, secondsPerByte } = arcs[hop];
    let price = leastPrice;
    for (let index = 0; index < resources.length; index++) {
      const seconds = secondsPerByte[index];
      const square = ((this.loads[resources[index]] + seconds) / this.scale) ** 2;
      const fourth = square * square;
      price += (seconds / slowest) * (fourth * fourth + leastPrice);
    }
    return price;
  }
}

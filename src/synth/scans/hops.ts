/** Loads, prices and cheapest paths over hops. A hop is an arc: a message between two chips that passes no third one. */
import { NearestFirst } from '../../graph/nearest-first.ts';
import type { Routes } from '../../ir/routes.ts';
import { type ArcNetwork, arcNetwork } from '../arcs.ts';

/** The hops of a machine, indexed by rank and by resource. */
export interface Hops extends ArcNetwork {
  /** By hop: the ranks that it joins. */
  readonly sources: Int32Array;
  readonly destinations: Int32Array;
  /** By resource: the hops that occupy it. */
  readonly holders: readonly (readonly number[])[];
  /** The maximum seconds per byte for which any hop occupies any of its resources. */
  readonly slowest: number;
}

/** Builds the hops of a machine. */
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

/** Finds cheapest paths for given prices of hops (Dijkstra's algorithm). */
export class CheapestPaths {
  /** Ranks and hops visited so far. */
  probes = 0;
  private readonly hops: Hops;
  private readonly search: NearestFirst;
  /** By rank: the last hop of its path; −1 if it has none. */
  private readonly last: Int32Array;

  constructor(hops: Hops) {
    this.hops = hops;
    this.search = new NearestFirst(hops.ranks);
    this.last = new Int32Array(hops.ranks);
  }

  /** By rank: the price of the cheapest path to it; Infinity if there is none. */
  costs(prices: Float64Array, from: number): Float64Array {
    this.spread(prices, from, -1, false);
    return this.search.length.slice();
  }

  /**
   * The hops of the cheapest path; empty if there is none.
   * @param isLow among equally cheap paths, prefers one through lower ranks, since the values to be combined with are available sooner
   * there
   */
  path(prices: Float64Array, from: number, to: number, isLow = false): number[] {
    this.spread(prices, from, to, isLow);
    const way: number[] = [];
    for (let at = to; this.last[at] >= 0; at = this.hops.sources[this.last[at]]) way.push(this.last[at]);
    return way.reverse();
  }

  /**
   * Searches from a rank.
   * @param until ends the search when this rank is settled; −1 for all ranks
   */
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

/** The base price of a hop, relative to occupying an idle resource: among equally good paths, short ones win. */
const leastPrice = 1e-3;

/**
 * How long hops occupy each link and port, in seconds per byte of a chunk, and the price of one more chunk over each hop, which grows with
 * the load of the hop's resources.
 */
export class HopLoads {
  private readonly hops: Hops;
  /** By resource. */
  private readonly loads: Float64Array;
  /** By hop: the price when it was last computed. And the resources whose load has changed since. */
  private readonly told: Float64Array;
  private readonly changed = new Set<number>();
  private scale = 0;

  constructor(hops: Hops, loads = new Float64Array(hops.resources)) {
    this.hops = hops;
    this.loads = loads;
    this.told = new Float64Array(hops.arcs.length);
    this.rescale();
  }

  /** An independent copy. */
  copy(): HopLoads {
    return new HopLoads(this.hops, this.loads.slice());
  }

  /**
   * Adds load along a path.
   * @param times how many chunks take each hop; negative to undo
   */
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

  /** Sets the load at which resources become expensive to the current maximum, until the next call. */
  rescale(): void {
    this.scale = Math.max(this.busiest(), this.hops.slowest);
    for (const resource of this.loads.keys()) this.changed.add(resource);
  }

  /** By hop: its price at the current loads. It grows with the eighth power of the load relative to the maximum at the last `rescale`. */
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

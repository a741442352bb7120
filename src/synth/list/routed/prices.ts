/** Loads of a machine's resources (links and ports), the prices that follow from them, and cheapest paths (Dijkstra's algorithm). */
import { KeyedHeap } from '../../../graph/keyed-heap.ts';
import type { Random } from '../../../ir/random.ts';
import { rounding, type Seconds } from '../../../ir/units.ts';
import type { ArcNetwork } from '../../arcs.ts';

/** A resource with some load costs `idle + weight · (load / reference) ** power`. */
export interface Tariff {
  readonly reference: Seconds;
  readonly idle: number;
  readonly weight: number;
  readonly power: number;
}

/** Loads and prices of all resources, updated as parcels are added to paths and removed. */
export class LinkPrices {
  /** Arcs and ranks visited so far. */
  work = 0;
  private readonly network: ArcNetwork;
  private readonly random: Random;
  /** By resource: its load, the maximum that one more parcel of weight 1 adds to it (both in seconds per byte of such a parcel), and its price. */
  private readonly load: Float64Array;
  private readonly share: Float64Array;
  private readonly price: Float64Array;
  private tariff: Tariff = { reference: 1, idle: 1, weight: 0, power: 1 };
  /** By rank, from the last search: the price of the cheapest path, its last arc, and whether the rank is settled. */
  private readonly reached: Float64Array;
  private readonly lastArc: Int32Array;
  private readonly done: Uint8Array;
  private readonly open = new KeyedHeap();
  private latencies: ReadonlyMap<number, Float64Array> | undefined;
  /** By arc: the rank at its end. Arc a occupies `resources[i]` for `seconds[i]` per byte, for i from `first[a]` to `first[a + 1] − 1`. */
  private readonly ends: Int32Array;
  private readonly first: Int32Array;
  private readonly resources: Int32Array;
  private readonly seconds: Float64Array;

  constructor(network: ArcNetwork, random: Random) {
    const { arcs, resources: count, ranks } = network;
    this.network = network;
    this.random = random;
    this.load = new Float64Array(count);
    this.share = new Float64Array(count);
    this.price = new Float64Array(count);
    for (const { resources, secondsPerByte } of arcs) {
      for (const [i, resource] of resources.entries()) {
        this.share[resource] = Math.max(this.share[resource], secondsPerByte[i]);
      }
    }
    this.ends = Int32Array.from(arcs, ({ to }) => to);
    this.first = new Int32Array(arcs.length + 1);
    for (const [arc, { resources }] of arcs.entries()) this.first[arc + 1] = this.first[arc] + resources.length;
    this.resources = Int32Array.from(arcs.flatMap(({ resources }) => resources));
    this.seconds = Float64Array.from(arcs.flatMap(({ secondsPerByte }) => secondsPerByte));
    this.reached = new Float64Array(ranks);
    this.lastArc = new Int32Array(ranks);
    this.done = new Uint8Array(ranks);
    this.charge(this.tariff);
  }

  /** The load of the busiest resource. */
  get busiest(): Seconds {
    return this.load.reduce((most, load) => Math.max(most, load), 0);
  }

  /** The sum of the prices of all resources. */
  get total(): number {
    return this.price.reduce((sum, price) => sum + price, 0);
  }

  /** Sets all loads to 0. */
  clear(): void {
    this.load.fill(0);
  }

  /** Sets the price function and recomputes all prices. */
  charge(tariff: Tariff): void {
    this.tariff = tariff;
    for (let resource = 0; resource < this.price.length; resource++) this.update(resource);
  }

  /** Restricts later searches to paths of minimum latency; `latencies[source][rank]` is the minimum latency in seconds. */
  keepTo(latencies: ReadonlyMap<number, Float64Array>): void {
    this.latencies = latencies;
  }

  /** Adds a parcel of the given weight to a path; a negative weight removes it. */
  add(path: readonly number[], weight: number): void {
    for (const arc of path) {
      for (let i = this.first[arc]; i < this.first[arc + 1]; i++) {
        this.load[this.resources[i]] += weight * this.seconds[i];
        this.update(this.resources[i]);
      }
    }
  }

  /** The price of the cheapest path from a rank to every rank; Infinity if out of reach. Valid until the next search. */
  from(source: number): Float64Array {
    this.search(source, -1);
    return this.reached;
  }

  /** The cheapest paths to reachable ranks; a demand keeps the path `before` if that costs no more. */
  to(
    source: number,
    wanted: readonly { readonly destination: number; readonly before: readonly number[] }[],
  ): readonly (readonly number[])[] {
    this.search(source, wanted.length === 1 ? wanted[0].destination : -1);
    return wanted.map(({ destination, before }) => {
      const cost = before.reduce((sum, arc) => sum + this.priceOf(arc), 0);
      if (before.length > 0 && cost <= this.reached[destination] * (1 + rounding)) return before;
      const path: number[] = [];
      for (let at = destination; at !== source; at = this.network.arcs[path[path.length - 1]].from) {
        path.push(this.lastArc[at]);
      }
      return path.reverse();
    });
  }

  private update(resource: number): void {
    const { reference, idle, weight, power } = this.tariff;
    const ratio = (this.load[resource] + this.share[resource]) / reference;
    this.price[resource] = this.share[resource] === 0 ? 0 : idle + weight * ratio ** power;
  }

  private priceOf(arc: number): number {
    const { first, resources, seconds, price } = this;
    let sum = 0;
    for (let i = first[arc]; i < first[arc + 1]; i++) sum += seconds[i] * price[resources[i]];
    return sum;
  }

  /**
   * Runs Dijkstra's algorithm from a source; random numbers decide among paths of equal price.
   * @param until the search ends when it settles this rank; −1 to settle all
   */
  private search(source: number, until: number): void {
    const { reached, lastArc, done, open, ends } = this;
    const { arcs, outgoing } = this.network;
    const latency = this.latencies?.get(source);
    open.clear();
    reached.fill(Number.POSITIVE_INFINITY);
    done.fill(0);
    reached[source] = 0;
    open.push(0, source);
    while (open.length > 0) {
      const rank = open.pop();
      if (done[rank] === 1) continue;
      if (rank === until) break;
      done[rank] = 1;
      this.work += 1 + outgoing[rank].length;
      for (const arc of outgoing[rank]) {
        const to = ends[arc];
        if (done[to] === 1) continue;
        if (latency !== undefined && latency[rank] + arcs[arc].latency > latency[to] * (1 + rounding)) continue;
        const price = reached[rank] + this.priceOf(arc);
        const excess = price / reached[to] - 1;
        if (excess > rounding || (excess > -rounding && this.random.below(2) === 0)) continue;
        reached[to] = price;
        lastArc[to] = arc;
        open.push(price, to);
      }
    }
  }
}

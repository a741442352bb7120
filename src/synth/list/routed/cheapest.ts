/** Least prices from one rank to others, by Dijkstra's algorithm. */
import { KeyedHeap } from '../../../cost/keyed-heap.ts';
import type { Random } from '../../../ir/random.ts';
import { rounding } from '../../../ir/units.ts';
import type { ArcNetwork } from '../../arcs.ts';
import type { Market } from './market.ts';

export class CheapestPaths {
  /** Arcs and ranks looked at so far. */
  work = 0;
  private readonly network: ArcNetwork;
  private readonly market: Market;
  private readonly price: Float64Array;
  private readonly lastArc: Int32Array;
  private readonly done: Uint8Array;
  private readonly open = new KeyedHeap(64);
  /** Of arc a, from the network. */
  private readonly target: Int32Array;
  private readonly latency: Float64Array;
  private readonly random: Random;
  private latencies: ReadonlyMap<number, Float64Array> | undefined;

  constructor(network: ArcNetwork, market: Market, random: Random) {
    this.random = random;
    this.network = network;
    this.market = market;
    this.price = new Float64Array(network.ranks);
    this.lastArc = new Int32Array(network.ranks);
    this.done = new Uint8Array(network.ranks);
    this.target = Int32Array.from(network.arcs, ({ to }) => to);
    this.latency = Float64Array.from(network.arcs, ({ latency }) => latency);
  }

  /** From now on a path may only use arcs on ways of least latency; `latencies[source][rank]` are these latencies. */
  keepLatency(latencies: ReadonlyMap<number, Float64Array>): void {
    this.latencies = latencies;
  }

  /** The paths of least price to ranks within reach; instead of each the one before (`before(i)`) if that costs no more. */
  to(
    source: number,
    destinations: readonly number[],
    before: (i: number) => readonly number[],
  ): readonly (readonly number[])[] {
    this.search(source, destinations.length === 1 ? destinations[0] : -1);
    return destinations.map((destination, i) => this.pathTo(source, destination, before(i)));
  }

  /** The least prices to all ranks, Infinity for those out of reach; valid until the next search. */
  from(source: number): Float64Array {
    this.search(source, -1);
    return this.price;
  }

  private pathTo(source: number, destination: number, before: readonly number[]): readonly number[] {
    let cost = 0;
    for (const arc of before) cost += this.market.price(arc);
    if (before.length > 0 && cost <= this.price[destination] * (1 + rounding)) return before;
    const path: number[] = [];
    for (let at = destination; at !== source; at = this.network.arcs[path[path.length - 1]].from) {
      path.push(this.lastArc[at]);
    }
    return path.reverse();
  }

  private search(source: number, until: number): void {
    const { price, lastArc, done, open, target, network, market } = this;
    const latency = this.latencies?.get(source);
    open.clear();
    price.fill(Number.POSITIVE_INFINITY);
    done.fill(0);
    price[source] = 0;
    open.push(0, source);
    while (open.length > 0) {
      const node = open.pop();
      if (done[node] === 1) continue;
      if (node === until) break;
      done[node] = 1;
      this.work += 1 + network.outgoing[node].length;
      for (const arc of network.outgoing[node]) {
        const to = target[arc];
        if (done[to] === 1) continue;
        if (latency !== undefined && latency[node] + this.latency[arc] > latency[to] * (1 + rounding)) continue;
        const reached = price[node] + market.price(arc);
        const rest = reached / price[to] - 1;
        if (rest > rounding || (rest > -rounding && this.random.below(2) === 0)) continue;
        price[to] = reached;
        lastArc[to] = arc;
        open.push(reached, to);
      }
    }
  }
}

/**
 * Routes of an overlay edge on the underlay. Chips without a direct link reach each other over others (cut
 * through); the route is the one of least latency, then fewest links, then greatest bandwidth, then lowest node indices,
 * so that every part of ccc charges the same links for the same transfer.
 */
import type { Topology } from './topology.ts';
import type { BytesPerSecond, Seconds } from './units.ts';

/** What a message meets on its way. */
export interface Route {
  /** Link indices in travelling order. */
  readonly links: readonly number[];
  /** Σα over the links. */
  readonly latency: Seconds;
  /** The smallest β on the way. */
  readonly bandwidth: BytesPerSecond;
}

/** Shortest routes of one topology, found per source when first asked for and kept. */
export class Routes {
  readonly topology: Topology;
  private readonly outgoing: readonly (readonly number[])[];
  private readonly previousLink = new Map<number, Int32Array>();
  private readonly known = new Map<number, Route | undefined>();

  constructor(topology: Topology) {
    this.topology = topology;
    const outgoing: number[][] = topology.nodes.map(() => []);
    topology.links.forEach((link, index) => {
      outgoing[link.from].push(index);
    });
    this.outgoing = outgoing;
  }

  /** The route from one rank to another, or undefined where there is none. Not defined for equal ranks. */
  between(fromRank: number, toRank: number): Route | undefined {
    const key = fromRank * this.topology.chips.length + toRank;
    if (!this.known.has(key))
      this.known.set(key, this.trace(this.topology.chips[fromRank], this.topology.chips[toRank]));
    return this.known.get(key);
  }

  /** Number of links between two ranks, Infinity where there is no route; keeps nothing, for looking at all pairs of a large machine. */
  hops(fromRank: number, toRank: number): number {
    const from = this.topology.chips[fromRank];
    const previous = this.reach(from);
    let count = 0;
    for (let at = this.topology.chips[toRank]; at !== from; at = this.topology.links[previous[at]].from) {
      if (previous[at] < 0) return Number.POSITIVE_INFINITY;
      count++;
    }
    return count;
  }

  private trace(from: number, to: number): Route | undefined {
    const { links } = this.topology;
    const previous = this.reach(from);
    const route: number[] = [];
    for (let at = to; at !== from; at = links[previous[at]].from) {
      if (previous[at] < 0) return undefined;
      route.push(previous[at]);
    }
    route.reverse();
    return {
      links: route,
      latency: route.reduce((sum, link) => sum + links[link].latency, 0),
      bandwidth: route.reduce((least, link) => Math.min(least, links[link].bandwidth), Number.POSITIVE_INFINITY),
    };
  }

  /** Dijkstra with the lexicographic cost (latency, hops, −bandwidth); `result[node]` is the last link of its route. */
  private reach(source: number): Int32Array {
    const cached = this.previousLink.get(source);
    if (cached !== undefined) return cached;
    const { links, nodes } = this.topology;
    const previous = new Int32Array(nodes.length).fill(-1);
    const latency = new Float64Array(nodes.length).fill(Number.POSITIVE_INFINITY);
    const hops = new Int32Array(nodes.length);
    const bandwidth = new Float64Array(nodes.length);
    latency[source] = 0;
    bandwidth[source] = Number.POSITIVE_INFINITY;
    const closer = (a: number, b: number): boolean =>
      latency[a] !== latency[b]
        ? latency[a] < latency[b]
        : hops[a] !== hops[b]
          ? hops[a] < hops[b]
          : bandwidth[a] !== bandwidth[b]
            ? bandwidth[a] > bandwidth[b]
            : a < b;
    const queue = new NodeQueue(nodes.length, closer);
    queue.update(source);
    for (let node = queue.pop(); node !== -1; node = queue.pop()) {
      for (const index of this.outgoing[node]) {
        const link = links[index];
        const arrival = latency[node] + link.latency;
        const width = Math.min(bandwidth[node], link.bandwidth);
        const better =
          arrival < latency[link.to] ||
          (arrival === latency[link.to] &&
            (hops[node] + 1 < hops[link.to] || (hops[node] + 1 === hops[link.to] && width > bandwidth[link.to])));
        if (!better) continue;
        latency[link.to] = arrival;
        hops[link.to] = hops[node] + 1;
        bandwidth[link.to] = width;
        previous[link.to] = index;
        queue.update(link.to);
      }
    }
    this.previousLink.set(source, previous);
    return previous;
  }
}

/** A binary heap of nodes whose order can improve while they wait. */
class NodeQueue {
  private readonly heap: number[] = [];
  private readonly place: Int32Array;
  private readonly before: (a: number, b: number) => boolean;

  constructor(nodes: number, before: (a: number, b: number) => boolean) {
    this.place = new Int32Array(nodes).fill(-1);
    this.before = before;
  }

  /** Adds a node, or moves it up after its order has improved. */
  update(node: number): void {
    if (this.place[node] === -1) {
      this.place[node] = this.heap.length;
      this.heap.push(node);
    }
    for (let at = this.place[node]; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.before(this.heap[at], this.heap[parent])) break;
      this.swap(at, parent);
      at = parent;
    }
  }

  /** Takes the first node out, or −1. */
  pop(): number {
    if (this.heap.length === 0) return -1;
    const first = this.heap[0];
    this.swap(0, this.heap.length - 1);
    this.heap.pop();
    this.place[first] = -1;
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const right = left + 1;
      let least = at;
      if (left < this.heap.length && this.before(this.heap[left], this.heap[least])) least = left;
      if (right < this.heap.length && this.before(this.heap[right], this.heap[least])) least = right;
      if (least === at) return first;
      this.swap(at, least);
      at = least;
    }
  }

  private swap(a: number, b: number): void {
    const { heap, place } = this;
    [heap[a], heap[b]] = [heap[b], heap[a]];
    place[heap[a]] = a;
    place[heap[b]] = b;
  }
}

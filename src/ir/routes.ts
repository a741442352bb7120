/**
 * Routes of an overlay edge on the underlay. Chips without a direct link reach each other over others (cut
 * through); the route is the one of least latency, then fewest links, then greatest bandwidth, then lowest node indices,
 * so that every part of ccc charges the same links for the same transfer.
 *
 * Where a node is reached equally well over several switches, as in fat trees, traffic is spread over them as such
 * machines do it (by destination, "D-mod-k": Zahavi, "Fat-tree routing and node ordering", 2012; here by the greater of both
 * ranks, so that both directions go the same way), and the channel shifts the choice: so a plan can use every way there is.
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

/** Where the best routes from one node come from. */
interface Reach {
  /** The last link of each node's route, −1 where there is none. */
  readonly previous: Int32Array;
  /** For nodes that are reached equally well over several switches: the last links of all those routes, by switch. */
  readonly others: ReadonlyMap<number, readonly number[]>;
}

/** Routes that are told apart between two chips. */
const mostWays = 64;

/** Latencies are compared in whole femtoseconds, so that routes with the same Σα are found equal whatever the sums are rounded to. */
const perSecond = 1e15;

/** Shortest routes of one topology, found per source when first asked for and kept. */
export class Routes {
  readonly topology: Topology;
  private readonly outgoing: readonly (readonly number[])[];
  /** By link. */
  private readonly femtoseconds: Float64Array;
  private readonly reached = new Map<number, Reach>();
  private readonly known = new Map<number, readonly (Route | undefined)[]>();

  constructor(topology: Topology) {
    this.topology = topology;
    const outgoing: number[][] = topology.nodes.map(() => []);
    topology.links.forEach((link, index) => {
      outgoing[link.from].push(index);
    });
    this.outgoing = outgoing;
    this.femtoseconds = Float64Array.from(topology.links, ({ latency }) => Math.round(latency * perSecond));
  }

  /** The route from one rank to another for messages of a channel, or undefined where there is none. Not defined for equal ranks. */
  between(fromRank: number, toRank: number, channel = 0): Route | undefined {
    const ways = this.ways(fromRank, toRank);
    return ways[(Math.max(fromRank, toRank) + channel) % ways.length];
  }

  /** Between how many routes the channel chooses; all take the same time where nothing else is sent. */
  choices(fromRank: number, toRank: number): number {
    return this.ways(fromRank, toRank).length;
  }

  /** Number of links between two ranks, Infinity where there is no route; keeps nothing, for looking at all pairs of a large machine. */
  hops(fromRank: number, toRank: number): number {
    const from = this.topology.chips[fromRank];
    const { previous } = this.reach(from);
    let count = 0;
    for (let at = this.topology.chips[toRank]; at !== from; at = this.topology.links[previous[at]].from) {
      if (previous[at] < 0) return Number.POSITIVE_INFINITY;
      count++;
    }
    return count;
  }

  private ways(fromRank: number, toRank: number): readonly (Route | undefined)[] {
    const key = fromRank * this.topology.chips.length + toRank;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const [from, to] = [this.topology.chips[fromRank], this.topology.chips[toRank]];
    const direct = this.direct(from, to);
    const first = direct === undefined ? this.trace(from, to, 0) : { route: direct, ways: 1 };
    const ways = [first.route];
    for (let way = 1; way < Math.min(first.ways, mostWays); way++) ways.push(this.trace(from, to, way).route);
    this.known.set(key, ways);
    return ways;
  }

  /**
   * The route over the only link between two nodes, if nothing else can be as good, which most messages take: any way round
   * begins with another link, and has more of them.
   */
  private direct(from: number, to: number): Route | undefined {
    const { links } = this.topology;
    let found = -1;
    let least = Number.POSITIVE_INFINITY;
    for (const index of this.outgoing[from]) {
      least = Math.min(least, links[index].latency);
      if (links[index].to !== to) continue;
      if (found !== -1) return undefined;
      found = index;
    }
    if (found === -1 || links[found].latency > least) return undefined;
    return { links: [found], latency: links[found].latency, bandwidth: links[found].bandwidth };
  }

  /** One of the routes; `way` has a digit for each node with a choice, the last node's first. */
  private trace(from: number, to: number, way: number): { readonly route: Route | undefined; readonly ways: number } {
    const { links } = this.topology;
    const { previous, others } = this.reach(from);
    const route: number[] = [];
    let ways = 1;
    let rest = way;
    for (let at = to; at !== from; at = links[route[route.length - 1]].from) {
      if (previous[at] < 0) return { route: undefined, ways: 1 };
      const choices = others.get(at) ?? [previous[at]];
      route.push(choices[rest % choices.length]);
      rest = Math.floor(rest / choices.length);
      ways *= choices.length;
    }
    route.reverse();
    return {
      route: {
        links: route,
        latency: route.reduce((sum, link) => sum + links[link].latency, 0),
        bandwidth: route.reduce((least, link) => Math.min(least, links[link].bandwidth), Number.POSITIVE_INFINITY),
      },
      ways,
    };
  }

  /** Dijkstra with the lexicographic cost (latency, hops, −bandwidth). */
  private reach(source: number): Reach {
    const cached = this.reached.get(source);
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
    const others = new Map<number, number[]>();
    const isSwitch = (link: number): boolean => nodes[links[link].from].kind !== 'chip';
    const queue = new NodeQueue(nodes.length, closer);
    queue.update(source);
    for (let node = queue.pop(); node !== -1; node = queue.pop()) {
      for (const index of this.outgoing[node]) {
        const link = links[index];
        const arrival = latency[node] + this.femtoseconds[index];
        const width = Math.min(bandwidth[node], link.bandwidth);
        const even = arrival === latency[link.to] && hops[node] + 1 === hops[link.to];
        const better =
          arrival < latency[link.to] ||
          (arrival === latency[link.to] && hops[node] + 1 < hops[link.to]) ||
          (even && width > bandwidth[link.to]);
        if (!better) {
          const asGood = even && width === bandwidth[link.to];
          if (asGood && isSwitch(index) && isSwitch(previous[link.to])) {
            const known = others.get(link.to) ?? [previous[link.to]];
            others.set(
              link.to,
              [...known, index].sort((a, b) => links[a].from - links[b].from),
            );
          }
          continue;
        }
        others.delete(link.to);
        latency[link.to] = arrival;
        hops[link.to] = hops[node] + 1;
        bandwidth[link.to] = width;
        previous[link.to] = index;
        queue.update(link.to);
      }
    }
    const reach = { previous, others };
    this.reached.set(source, reach);
    return reach;
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

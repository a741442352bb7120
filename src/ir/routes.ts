/**
 * Routes of messages between ranks over the links of the machine. Chips without a direct link reach each other through other chips (cut-through). The
 * route is the one with min latency, then fewest links, then max bandwidth, then lowest node indices, so that every part of ccc charges the same
 * links for the same transfer.
 *
 * Where several switches lead to a node equally well, as in fat trees, routes are spread over them as such machines do (by destination, "D-mod-k":
 * Zahavi, "Fat-tree routing and node ordering", 2012; here by the greater of both ranks, so that both directions take the same path). The channel of
 * a message shifts the choice, so that a plan can use all of these routes.
 */

import { GridRoutes } from './grid-routes.ts';
import { intAt, itemAt } from './indexing.ts';
import { PlainRouteSearch } from './plain-route-search.ts';
import { type Reach, RouteSearch } from './route-search.ts';
import type { Topology } from './topology.ts';
import type { BytesPerSecond, Seconds } from './units.ts';

/** The path of a message through the machine. */
export interface Route {
  /** Link indices in travelling order. */
  readonly links: readonly number[];
  /** Σα over the links. */
  readonly latency: Seconds;
  /** The min bandwidth of the links. */
  readonly bandwidth: BytesPerSecond;
}

/** Max number of alternative routes that are distinguished between two chips. */
const mostWays = 64;

/** Latencies are compared in whole femtoseconds, so that routes with the same Σα are found equal whatever the sums are rounded to. */
const perSecond = 1e15;

/**
 * On machines with more nodes, the search first looks for the requested route alone: routes to all nodes take long to find and much memory to keep.
 */
const mostNodes = 2048;
/** Searches for single routes from a node may visit this fraction of all nodes together; after that, the routes from it to all nodes are computed. */
const partForSingle = 1 / 4;
/** Max entries of the cache of routes, over all sources (256 MiB). When it is full it is emptied, and routes are computed again on request. */
const mostKept = 2 ** 26;

/** The best routes of one topology, computed per source on first request and cached. */
export class Routes {
  private static readonly ofTopology = new WeakMap<Topology, Routes>();

  /** The shared instance for a topology object: on large machines it takes long to find routes. */
  static of(topology: Topology): Routes {
    const known = Routes.ofTopology.get(topology);
    if (known !== undefined) return known;
    const routes = new Routes(topology);
    Routes.ofTopology.set(topology, routes);
    return routes;
  }

  readonly topology: Topology;
  private readonly outgoing: readonly (readonly number[])[];
  /** By link, its latency in femtoseconds. */
  private readonly femtoseconds: Float64Array;
  /** A faster search, for machines with only chips and with links of equal latency, as most large machines are; undefined for others. */
  private readonly plain: PlainRouteSearch | undefined;
  /** The routes in closed form if the chips form a grid, undefined if they do not; null before that has been examined. */
  private grid: GridRoutes | undefined | null = null;
  private readonly reached = new Map<number, Reach>();
  /** By source: the number of nodes visited by searches for single routes from it. */
  private readonly looked = new Map<number, number>();
  /** Cached routes, by source and destination rank. */
  private readonly known: (readonly (Route | undefined)[])[][] = [];
  private readonly hasRank: ReadonlySet<number>;

  constructor(topology: Topology) {
    this.topology = topology;
    this.hasRank = new Set(topology.chips);
    const outgoing: number[][] = topology.nodes.map(() => []);
    topology.links.forEach((link, index) => {
      itemAt(outgoing, link.from).push(index);
    });
    this.outgoing = outgoing;
    this.femtoseconds = Float64Array.from(topology.links, ({ latency }) => Math.round(latency * perSecond));
    const [first] = this.femtoseconds;
    const isPlain =
      topology.nodes.every(({ kind }) => kind === 'chip') && this.femtoseconds.every((own) => own === first);
    this.plain = isPlain ? new PlainRouteSearch(topology, outgoing) : undefined;
  }

  /** The route of messages of a channel from one rank to another; undefined if there is none. The ranks must differ. */
  between(fromRank: number, toRank: number, channel = 0): Route | undefined {
    const ways = this.ways(fromRank, toRank);
    return ways[(Math.max(fromRank, toRank) + channel) % ways.length];
  }

  /** As `between`, but undefined if the route passes a third rank: two messages that meet at that rank can replace one that passes it. */
  hop(fromRank: number, toRank: number, channel = 0): Route | undefined {
    const route = this.between(fromRank, toRank, channel);
    if (route === undefined) return undefined;
    const { links } = this.topology;
    for (let at = 1; at < route.links.length; at++)
      if (this.hasRank.has(itemAt(links, itemAt(route.links, at)).from)) return undefined;
    return route;
  }

  /** Number of routes among which the channel chooses. On an idle machine all of them take the same time. */
  choices(fromRank: number, toRank: number): number {
    return this.ways(fromRank, toRank).length;
  }

  /**
   * Number of links on the route between two ranks, Infinity if there is none. Caches no route, so that all pairs of a large machine can be queried.
   */
  hops(fromRank: number, toRank: number): number {
    const from = itemAt(this.topology.chips, fromRank);
    const to = itemAt(this.topology.chips, toRank);
    const grid = this.asGrid();
    if (grid !== undefined) return grid.distance(from, to);
    const { previous } = this.reach(from, to);
    let count = 0;
    for (let at = to; at !== from; at = itemAt(this.topology.links, intAt(previous, at)).from) {
      if (intAt(previous, at) < 0) return Number.POSITIVE_INFINITY;
      count++;
    }
    return count;
  }

  private ways(fromRank: number, toRank: number): readonly (Route | undefined)[] {
    this.known[fromRank] ??= [];
    const ofSource = this.known[fromRank];
    const known = ofSource[toRank];
    if (known !== undefined) return known;
    const { chips } = this.topology;
    const from = itemAt(chips, fromRank);
    const to = itemAt(chips, toRank);
    const direct = this.direct(from, to);
    const first = direct === undefined ? this.trace(from, to, 0) : { route: direct, ways: 1 };
    const ways = [first.route];
    for (let way = 1; way < Math.min(first.ways, mostWays); way++) ways.push(this.trace(from, to, way).route);
    ofSource[toRank] = ways;
    return ways;
  }

  /**
   * The route over the only link between two nodes, if no other route can be as good. Most messages take such a route. Any detour begins with another
   * link of the node and has more links, so that it is worse if no link of the node has less latency.
   */
  private direct(from: number, to: number): Route | undefined {
    const { links } = this.topology;
    let found = -1;
    let least = Number.POSITIVE_INFINITY;
    for (const index of itemAt(this.outgoing, from)) {
      least = Math.min(least, itemAt(links, index).latency);
      if (itemAt(links, index).to !== to) continue;
      if (found !== -1) return undefined;
      found = index;
    }
    if (found === -1 || itemAt(links, found).latency > least) return undefined;
    return { links: [found], latency: itemAt(links, found).latency, bandwidth: itemAt(links, found).bandwidth };
  }

  /**
   * One of the equally good routes, and how many there are. The digits of `way`, one for each node with a choice, select the route; the digit of the
   * last such node is the lowest.
   */
  private trace(from: number, to: number, way: number): { readonly route: Route | undefined; readonly ways: number } {
    const { links } = this.topology;
    const grid = this.asGrid();
    if (grid !== undefined) return { route: this.routeOver(grid.between(from, to)), ways: 1 };
    const { previous, others } = this.reach(from, to);
    const route: number[] = [];
    let ways = 1;
    let rest = way;
    for (let at = to; at !== from; at = itemAt(links, itemAt(route, route.length - 1)).from) {
      if (intAt(previous, at) < 0) return { route: undefined, ways: 1 };
      const choices = others.get(at);
      if (choices === undefined) {
        route.push(intAt(previous, at));
        continue;
      }
      route.push(itemAt(choices, rest % choices.length));
      rest = Math.floor(rest / choices.length);
      ways *= choices.length;
    }
    return { route: this.routeOver(route.reverse()), ways };
  }

  private routeOver(route: readonly number[]): Route {
    let latency = 0;
    let bandwidth = Number.POSITIVE_INFINITY;
    for (const index of route) {
      const link = itemAt(this.topology.links, index);
      latency += link.latency;
      bandwidth = Math.min(bandwidth, link.bandwidth);
    }
    return { links: route, latency, bandwidth };
  }

  private asGrid(): GridRoutes | undefined {
    if (this.grid === null) this.grid = this.plain === undefined ? undefined : GridRoutes.of(this.topology);
    return this.grid;
  }

  /** Routes from a source that include the one to `target`; valid until the next call. */
  private reach(source: number, target: number): Reach {
    const known = this.reached.get(source);
    if (known !== undefined) return known;
    const near = this.near(source, target);
    if (near !== undefined) return near;
    const nodes = this.topology.nodes.length;
    if ((this.reached.size + 1) * nodes > mostKept) this.reached.clear();
    const reach =
      this.plain?.from(source) ?? new RouteSearch(this.topology, this.outgoing, this.femtoseconds).from(source);
    this.reached.set(source, reach);
    return reach;
  }

  private near(source: number, target: number): Reach | undefined {
    const nodes = this.topology.nodes.length;
    if (this.plain === undefined || nodes <= mostNodes) return undefined;
    const looked = this.looked.get(source) ?? 0;
    if (looked >= nodes * partForSingle) return undefined;
    const near = this.plain.near(source, target, nodes * partForSingle - looked);
    this.looked.set(source, looked + this.plain.looked);
    return near;
  }
}

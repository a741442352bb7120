/**
 * Routes of an overlay edge on the underlay. Chips without a direct link reach each other over others (cut
 * through); the route is the one of least latency, then fewest links, then greatest bandwidth, then lowest node indices,
 * so that every part of ccc charges the same links for the same transfer.
 *
 * Where a node is reached equally well over several switches, as in fat trees, traffic is spread over them as such
 * machines do it (by destination, "D-mod-k": Zahavi, "Fat-tree routing and node ordering", 2012; here by the greater of both
 * ranks, so that both directions go the same way), and the channel shifts the choice: so a plan can use every way there is.
 */

import { GridRoutes } from './grid-routes.ts';
import { intAt, itemAt } from './indexing.ts';
import { PlainRouteSearch } from './plain-route-search.ts';
import { type Reach, RouteSearch } from './route-search.ts';
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

/** Routes that are told apart between two chips. */
const mostWays = 64;

/** Latencies are compared in whole femtoseconds, so that routes with the same Σα are found equal whatever the sums are rounded to. */
const perSecond = 1e15;

/** On machines of more nodes, single routes are looked for before those to all nodes: it takes long to find them, and memory to keep them. */
const mostNodes = 2048;
/** What is looked at for single routes from a node, as a part of all nodes, before those to all are found. */
const partForSingle = 1 / 4;
/** Last links of routes that are kept, of all sources together (256 MiB); then all are forgotten, and found again where they are asked for. */
const mostKept = 2 ** 26;

/** Shortest routes of one topology, found per source when first asked for and kept. */
export class Routes {
  private static readonly ofTopology = new WeakMap<Topology, Routes>();

  /** The routes that everyone asks who asks for those of the same topology object: on large machines it takes long to find them. */
  static of(topology: Topology): Routes {
    const known = Routes.ofTopology.get(topology);
    if (known !== undefined) return known;
    const routes = new Routes(topology);
    Routes.ofTopology.set(topology, routes);
    return routes;
  }

  readonly topology: Topology;
  private readonly outgoing: readonly (readonly number[])[];
  /** By link. */
  private readonly femtoseconds: Float64Array;
  /** Where there are chips alone, and links of one latency: as on most large machines. */
  private readonly plain: PlainRouteSearch | undefined;
  /** Where these chips make a grid; null before that has been looked at. */
  private grid: GridRoutes | undefined | null = null;
  private readonly reached = new Map<number, Reach>();
  /** By source: nodes looked at for single routes from it. */
  private readonly looked = new Map<number, number>();
  /** By source and destination, both as ranks. */
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

  /** The route from one rank to another for messages of a channel, or undefined where there is none. Not defined for equal ranks. */
  between(fromRank: number, toRank: number, channel = 0): Route | undefined {
    const ways = this.ways(fromRank, toRank);
    return ways[(Math.max(fromRank, toRank) + channel) % ways.length];
  }

  /** The same where no third rank is on that route; undefined where one is: two messages that meet there do as well. */
  hop(fromRank: number, toRank: number, channel = 0): Route | undefined {
    const route = this.between(fromRank, toRank, channel);
    if (route === undefined) return undefined;
    const { links } = this.topology;
    for (let at = 1; at < route.links.length; at++)
      if (this.hasRank.has(itemAt(links, itemAt(route.links, at)).from)) return undefined;
    return route;
  }

  /** Between how many routes the channel chooses; all take the same time where nothing else is sent. */
  choices(fromRank: number, toRank: number): number {
    return this.ways(fromRank, toRank).length;
  }

  /** Number of links between two ranks, Infinity where there is no route; keeps nothing, for looking at all pairs of a large machine. */
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
   * The route over the only link between two nodes, if nothing else can be as good, which most messages take: any way round
   * begins with another link, and has more of them.
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

  /** One of the routes; `way` has a digit for each node with a choice, the last node's first. */
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

  /** Routes from a node, those to another among them; good until the next ones are asked for. */
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

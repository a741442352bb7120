/**
 * Lengths that prove how fast an alltoall can be at best, by multiplicative weights (after Garg and Könemann 2007, Fleischer
 * 2000): route every shard along shortest ways, shared evenly where several are equally short, make links longer the busier
 * they are, and keep the lengths that prove most.
 */
import type { Topology } from '../../../ir/topology.ts';
import { NearestFirst } from '../../nearest-first.ts';
import { type ProvingLengths, rounded } from './proving-lengths.ts';

/** Links looked at in the whole search. */
const searchWork = 1_000_000;
const mostRounds = 60;
/** Rounds without better lengths before the search ends. */
const patience = 8;
/** Ways that differ by rounding are equally short. */
const asShort = 1 + 1e-9;
const outOfReach = -1;

export class RoutingLengths {
  private readonly topology: Topology;
  private readonly bytes: (from: number, to: number) => number;
  private readonly links: LinkColumns;
  private readonly load: Float64Array;
  private found: ProvingLengths | undefined;

  /** Lengths of the links on the way, and what is known of each node from the source at hand. */
  private readonly lengths: Float64Array;
  private readonly nearestFirst: NearestFirst;
  private readonly place: Int32Array;
  private readonly order: Int32Array;
  private readonly amount: Float64Array;

  /** @param bytes what goes from one rank to another */
  constructor(topology: Topology, bytes: (from: number, to: number) => number) {
    const nodes = topology.nodes.length;
    this.topology = topology;
    this.bytes = bytes;
    this.links = linkColumns(topology);
    this.load = new Float64Array(topology.links.length);
    this.lengths = new Float64Array(topology.links.length);
    this.nearestFirst = new NearestFirst(nodes);
    this.place = new Int32Array(nodes);
    this.order = new Int32Array(nodes);
    this.amount = new Float64Array(nodes);
  }

  best(): ProvingLengths | undefined {
    const { links, chips } = this.topology;
    const rounds = Math.min(mostRounds, Math.floor(searchWork / (chips.length * links.length)));
    const lengths = Float64Array.from(links, () => 1);
    this.consider(lengths);
    for (let link = 0; link < links.length; link++) lengths[link] = 1 / links[link].bandwidth;
    for (let round = 0, better = 0; round < rounds && round - better <= patience; round++) {
      if (this.consider(lengths)) better = round;
      this.route(lengths);
      let busiest = 0;
      links.forEach(({ bandwidth }, link) => {
        busiest = Math.max(busiest, this.load[link] / bandwidth);
      });
      if (busiest === 0) break;
      const pace = 2 / (round + 4);
      links.forEach(({ bandwidth }, link) => {
        lengths[link] *= Math.exp(pace * (this.load[link] / bandwidth / busiest - 1));
      });
    }
    return this.found;
  }

  /** Keeps these lengths, rounded, if they prove more than those before: then true. */
  private consider(lengths: Float64Array): boolean {
    const whole = rounded(lengths);
    const distance = this.route(whole);
    let capacity = 0;
    this.topology.links.forEach(({ bandwidth }, link) => {
      capacity += whole[link] * bandwidth;
    });
    const secondsPerByte = capacity === 0 ? 0 : distance / capacity;
    if (secondsPerByte <= (this.found?.secondsPerByte ?? 0) * (1 + 1e-9)) return false;
    this.found = { lengths: whole, distance, secondsPerByte };
    return true;
  }

  /** Loads the links with all bytes on shortest ways, and returns bytes × distance in all. */
  private route(lengths: ArrayLike<number>): number {
    this.load.fill(0);
    this.lengths.set(lengths);
    let total = 0;
    for (let rank = 0; rank < this.topology.chips.length; rank++) {
      const reached = this.search(this.topology.chips[rank]);
      total += this.loadWays(rank, reached);
    }
    return total;
  }

  /** Distances from a node, and the nodes in order of them; says how many are reached. */
  private search(source: number): number {
    const { nearestFirst, place, order, lengths } = this;
    const { firstOut, out, to } = this.links;
    nearestFirst.clear();
    place.fill(outOfReach);
    nearestFirst.reach(source, 0);
    let reached = 0;
    for (let node = nearestFirst.next(); node >= 0; node = nearestFirst.next()) {
      place[node] = reached;
      order[reached++] = node;
      const distance = nearestFirst.length[node];
      for (let o = firstOut[node]; o < firstOut[node + 1]; o++)
        nearestFirst.reach(to[out[o]], distance + lengths[out[o]]);
    }
    return reached;
  }

  /** Hands bytes back from the farthest node to the source, over all links of shortest ways into a node alike. */
  private loadWays(rank: number, reached: number): number {
    const { order, amount, load } = this;
    const distance = this.nearestFirst.length;
    const { firstIn, into, from } = this.links;
    const { chips } = this.topology;
    amount.fill(0);
    let total = 0;
    for (let to = 0; to < chips.length; to++) {
      if (to === rank) continue;
      const bytes = this.bytes(rank, to);
      amount[chips[to]] += bytes;
      total += bytes * distance[chips[to]];
    }
    for (let index = reached - 1; index > 0; index--) {
      const node = order[index];
      let ways = 0;
      for (let i = firstIn[node]; i < firstIn[node + 1]; i++) if (this.isOnWay(into[i])) ways++;
      const share = amount[node] / ways;
      for (let i = firstIn[node]; i < firstIn[node + 1]; i++) {
        if (!this.isOnWay(into[i])) continue;
        load[into[i]] += share;
        amount[from[into[i]]] += share;
      }
    }
    return total;
  }

  /** Whether a link is on a shortest way from the source. */
  private isOnWay(link: number): boolean {
    const { place, lengths } = this;
    const distance = this.nearestFirst.length;
    const from = this.links.from[link];
    const to = this.links.to[link];
    if (place[from] === outOfReach || place[from] >= place[to]) return false;
    return distance[from] + lengths[link] <= distance[to] * asShort;
  }
}

/** Links of a machine by their ends: out of node n `out[firstOut[n] … firstOut[n + 1] − 1]`, into it `into[firstIn[n] …]`, ascending. */
interface LinkColumns {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly firstOut: Int32Array;
  readonly out: Int32Array;
  readonly firstIn: Int32Array;
  readonly into: Int32Array;
}

function linkColumns({ nodes, links }: Topology): LinkColumns {
  const from = Int32Array.from(links, (link) => link.from);
  const to = Int32Array.from(links, (link) => link.to);
  const [firstOut, out] = groupedBy(from, nodes.length);
  const [firstIn, into] = groupedBy(to, nodes.length);
  return { from, to, firstOut, out, firstIn, into };
}

function groupedBy(node: Int32Array, nodes: number): readonly [Int32Array, Int32Array] {
  const first = new Int32Array(nodes + 1);
  for (const n of node) first[n + 1]++;
  for (let n = 0; n < nodes; n++) first[n + 1] += first[n];
  const next = first.slice();
  const grouped = new Int32Array(node.length);
  for (const [link, n] of node.entries()) grouped[next[n]++] = link;
  return [first, grouped];
}

/**
 * Link lengths that prove how fast an alltoall can be, by multiplicative weights (weights.ts): every shard is routed
 * along its shortest paths, split evenly among ties; busy links become longer; the lengths that prove the most are
 * kept.
 */

import { type LinkColumns, linkColumns } from '../../graph/link-columns.ts';
import { NearestFirst } from '../../graph/nearest-first.ts';
import { none } from '../../ir/none.ts';
import type { Topology } from '../../ir/topology.ts';
import { rounding } from '../../ir/units.ts';
import { weighing } from '../limits.ts';
import { type ProvingLengths, roundedLengths } from './proving-lengths.ts';
import { LinkWeights } from './weights.ts';

export class RoutingLengths {
  private readonly topology: Topology;
  private readonly bytes: (from: number, to: number) => number;
  private readonly likely: Float64Array | undefined;
  private readonly links: LinkColumns;
  private readonly load: Float64Array;
  private found: ProvingLengths | undefined;

  /** Lengths of the links on the current paths, and the state of each node in the search from one source. */
  private readonly lengths: Float64Array;
  private readonly nearestFirst: NearestFirst;
  private readonly place: Int32Array;
  private readonly order: Int32Array;
  private readonly amount: Float64Array;

  /**
   * @param bytes the bytes that one rank sends to another
   * @param likely lengths that may prove much, as a start
   */
  constructor(topology: Topology, bytes: (from: number, to: number) => number, likely?: Float64Array) {
    const nodes = topology.nodes.length;
    this.topology = topology;
    this.bytes = bytes;
    this.likely = likely;
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
    const { bandwidth } = this.links;
    const rounds = Math.min(weighing.routingRounds, Math.floor(weighing.routingWork / (chips.length * links.length)));
    this.consider(new Float64Array(links.length).fill(1));
    if (this.likely !== undefined) this.consider(this.likely);
    const busy = new Float64Array(links.length);
    const weights = new LinkWeights(
      bandwidth,
      bandwidth.map((width) => 1 / width),
      weighing.routingPace,
    );
    for (let round = 0, better = 0; round < rounds && round - better <= weighing.routingPatience; round++) {
      if (this.consider(weights.lengths)) better = round;
      this.load.fill(0);
      this.route(weights.lengths, true);
      weights.begin();
      let busiest = 0;
      for (let link = 0; link < links.length; link++) {
        weights.add(link, this.load[link]);
        busy[link] += this.load[link] / bandwidth[link];
        busiest = Math.max(busiest, busy[link]);
      }
      // The average of all rounds is a feasible fractional routing, and no lengths prove more than any routing takes,
      // so the search may end.
      if (busiest <= (this.found?.secondsPerByte ?? 0) * (round + 1) * (1 + 1e-9)) break;
      weights.end();
    }
    return this.found;
  }

  /** Keeps these lengths, rounded, if they prove more than the best so far; returns whether they did. */
  private consider(lengths: Float64Array): boolean {
    const whole = roundedLengths(lengths);
    const distance = this.route(whole, false);
    const { bandwidth } = this.links;
    let capacity = 0;
    for (let link = 0; link < whole.length; link++) capacity += whole[link] * bandwidth[link];
    const secondsPerByte = capacity === 0 ? 0 : distance / capacity;
    if (secondsPerByte <= (this.found?.secondsPerByte ?? 0) * (1 + 1e-9)) return false;
    this.found = { lengths: whole, secondsPerByte };
    return true;
  }

  /**
   * Total bytes × distance along shortest paths.
   * @param loading whether the paths are also charged to the links
   */
  private route(lengths: ArrayLike<number>, loading: boolean): number {
    this.lengths.set(lengths);
    let total = 0;
    for (let rank = 0; rank < this.topology.chips.length; rank++) {
      const reached = this.search(this.topology.chips[rank]);
      total += this.distanceFrom(rank);
      if (loading) this.loadRoutes(rank, reached);
    }
    return total;
  }

  private distanceFrom(rank: number): number {
    const { chips } = this.topology;
    const distance = this.nearestFirst.length;
    let total = 0;
    for (let to = 0; to < chips.length; to++) {
      if (to !== rank) total += this.bytes(rank, to) * distance[chips[to]];
    }
    return total;
  }

  /** Dijkstra's algorithm from one node; records the nodes in order of distance and returns how many are reachable. */
  private search(source: number): number {
    const { nearestFirst, place, order, lengths } = this;
    const { firstOut, out, to } = this.links;
    nearestFirst.clear();
    place.fill(none);
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

  /**
   * Charges the bytes from the farthest node back to the source, split evenly over all links of shortest paths into
   * each node.
   */
  private loadRoutes(rank: number, reached: number): void {
    const { order, amount, load } = this;
    const { firstIn, into, from } = this.links;
    const { chips } = this.topology;
    amount.fill(0);
    for (let to = 0; to < chips.length; to++) if (to !== rank) amount[chips[to]] += this.bytes(rank, to);
    for (let index = reached - 1; index > 0; index--) {
      const node = order[index];
      let ways = 0;
      for (let i = firstIn[node]; i < firstIn[node + 1]; i++) if (this.isOnRoute(into[i])) ways++;
      const share = amount[node] / ways;
      for (let i = firstIn[node]; i < firstIn[node + 1]; i++) {
        if (!this.isOnRoute(into[i])) continue;
        load[into[i]] += share;
        amount[from[into[i]]] += share;
      }
    }
  }

  /** Whether a link lies on a shortest path from the source. */
  private isOnRoute(link: number): boolean {
    const { place, lengths } = this;
    const distance = this.nearestFirst.length;
    const from = this.links.from[link];
    const to = this.links.to[link];
    if (place[from] === none || place[from] >= place[to]) return false;
    return distance[from] + lengths[link] <= distance[to] * (1 + rounding);
  }
}

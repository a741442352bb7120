/**
 * Lengths that prove how fast an alltoall can be at best, by multiplicative weights (after Garg and Könemann 2007, Fleischer
 * 2000): route every shard along shortest ways, shared evenly where several are equally short, make links longer the busier
 * they are, and keep the lengths that prove most.
 */
import type { Topology } from '../../ir/topology.ts';
import { KeyedHeap } from '../keyed-heap.ts';
import { type ProvingLengths, rounded } from './proving-lengths.ts';

/** Links looked at in the whole search. */
const searchWork = 1_000_000;
const mostRounds = 60;
/** Rounds without better lengths before the search ends. */
const patience = 8;
/** Ways that differ by rounding are equally short. */
const asShort = 1 + 1e-9;

export class RoutingLengths {
  private readonly topology: Topology;
  private readonly bytes: (from: number, to: number) => number;
  private readonly outgoing: readonly (readonly number[])[];
  private readonly load: Float64Array;
  private found: ProvingLengths | undefined;

  /** @param bytes what goes from one rank to another */
  constructor(topology: Topology, bytes: (from: number, to: number) => number) {
    const outgoing: number[][] = topology.nodes.map(() => []);
    topology.links.forEach(({ from }, link) => {
      outgoing[from].push(link);
    });
    this.topology = topology;
    this.bytes = bytes;
    this.outgoing = outgoing;
    this.load = new Float64Array(topology.links.length);
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
    let total = 0;
    for (let rank = 0; rank < this.topology.chips.length; rank++) total += this.routeFrom(rank, lengths);
    return total;
  }

  private routeFrom(rank: number, lengths: ArrayLike<number>): number {
    const { links, nodes, chips } = this.topology;
    const distance = new Float64Array(nodes.length).fill(Number.POSITIVE_INFINITY);
    const order: number[] = [];
    const settled = new Uint8Array(nodes.length);
    const queue = new KeyedHeap();
    distance[chips[rank]] = 0;
    queue.push(0, chips[rank]);
    while (queue.length > 0) {
      const node = queue.pop();
      if (settled[node] === 1) continue;
      settled[node] = 1;
      order.push(node);
      for (const link of this.outgoing[node]) {
        const { to } = links[link];
        if (distance[node] + lengths[link] >= distance[to]) continue;
        distance[to] = distance[node] + lengths[link];
        queue.push(distance[to], to);
      }
    }
    return this.loadWays(rank, lengths, distance, order);
  }

  /** Hands bytes back from the farthest node to the source, over all links of shortest ways into a node alike. */
  private loadWays(rank: number, lengths: ArrayLike<number>, distance: Float64Array, order: readonly number[]): number {
    const { links, nodes, chips } = this.topology;
    const amount = new Float64Array(nodes.length);
    let total = 0;
    chips.forEach((chip, to) => {
      if (to === rank) return;
      amount[chip] += this.bytes(rank, to);
      total += this.bytes(rank, to) * distance[chip];
    });
    const place = new Int32Array(nodes.length).fill(-1);
    order.forEach((node, index) => {
      place[node] = index;
    });
    const entering: number[][] = nodes.map(() => []);
    for (const node of order) {
      for (const link of this.outgoing[node]) {
        const { to } = links[link];
        if (place[node] < place[to] && distance[node] + lengths[link] <= distance[to] * asShort)
          entering[to].push(link);
      }
    }
    for (let index = order.length - 1; index > 0; index--) {
      const node = order[index];
      const share = amount[node] / entering[node].length;
      for (const link of entering[node]) {
        this.load[link] += share;
        amount[links[link].from] += share;
      }
    }
    return total;
  }
}

/** Hops: messages between chips that meet no other chip on their way, what they hold, and cheapest ways made of them. */
import type { Routes } from '../../ir/routes.ts';

/** One message from chip to chip. */
export interface Hop {
  readonly from: number;
  readonly to: number;
  /** What it holds, by index: links, then the ports of chips that have few. */
  readonly resources: readonly number[];
  /** For how long it holds each of them, in seconds per byte. */
  readonly seconds: readonly number[];
}

export interface Hops {
  readonly ranks: number;
  readonly all: readonly Hop[];
  /** By rank: indices of the hops that leave it. */
  readonly leaving: readonly (readonly number[])[];
  readonly resourceCount: number;
  /** For how long a hop holds what it holds for longest, of all hops the longest, in seconds per byte. */
  readonly slowest: number;
}

/** Hops from each rank to each other, by source × ranks + destination; as many as there are ranks where no way leads. */
export function distancesOf({ ranks, all, leaving }: Hops): Int32Array {
  const distances = new Int32Array(ranks * ranks).fill(ranks);
  for (let from = 0; from < ranks; from++) {
    const row = from * ranks;
    const reached = [from];
    distances[row + from] = 0;
    for (const at of reached) {
      for (const hop of leaving[at]) {
        const { to } = all[hop];
        if (distances[row + to] < ranks) continue;
        distances[row + to] = distances[row + at] + 1;
        reached.push(to);
      }
    }
  }
  return distances;
}

/** All hops of a machine. */
export function hopsOf(routes: Routes): Hops {
  const { topology } = routes;
  const { chips, links, nodes } = topology;
  const ranks = chips.length;
  const all: Hop[] = [];
  const leaving: number[][] = chips.map(() => []);
  for (let from = 0; from < ranks; from++) {
    for (let to = 0; to < ranks; to++) {
      const route = from === to ? undefined : routes.hop(from, to);
      if (route === undefined) continue;
      const resources = [...route.links];
      const seconds = route.links.map((link) =>
        links[link].occupancy === 'blocking' ? 1 / route.bandwidth : 1 / links[link].bandwidth,
      );
      const ports = [
        [links.length + from, nodes[chips[from]].ports.send],
        [links.length + ranks + to, nodes[chips[to]].ports.receive],
      ];
      for (const [port, count] of ports) {
        if (!Number.isFinite(count)) continue;
        resources.push(port);
        seconds.push(1 / route.bandwidth / count);
      }
      leaving[from].push(all.push({ from, to, resources, seconds }) - 1);
    }
  }
  const slowest = all.reduce((most, { seconds }) => Math.max(most, ...seconds), 0);
  return { ranks, all, leaving, resourceCount: links.length + 2 * ranks, slowest };
}

/** Cheapest ways between all ranks, for prices of hops. */
export class Ways {
  private readonly ranks: number;
  private readonly price: Float64Array;
  /** The hop that a cheapest way begins with. */
  private readonly first: Int32Array;
  private readonly hops: Hops;

  constructor(hops: Hops, prices: Float64Array) {
    const { ranks, all } = hops;
    this.hops = hops;
    this.ranks = ranks;
    this.price = new Float64Array(ranks * ranks).fill(Number.POSITIVE_INFINITY);
    this.first = new Int32Array(ranks * ranks).fill(-1);
    for (let rank = 0; rank < ranks; rank++) this.price[rank * ranks + rank] = 0;
    for (const [index, { from, to }] of all.entries()) {
      this.price[from * ranks + to] = prices[index];
      this.first[from * ranks + to] = index;
    }
    for (let middle = 0; middle < ranks; middle++) this.relax(middle);
  }

  private relax(middle: number): void {
    const { ranks, price, first } = this;
    for (let from = 0; from < ranks; from++) {
      const before = price[from * ranks + middle];
      for (let to = 0; to < ranks; to++) {
        const through = before + price[middle * ranks + to];
        if (through >= price[from * ranks + to] * (1 - 1e-12)) continue;
        price[from * ranks + to] = through;
        first[from * ranks + to] = first[from * ranks + middle];
      }
    }
  }

  between(from: number, to: number): number {
    return this.price[from * this.ranks + to];
  }

  /** Indices of the hops of a cheapest way. */
  way(from: number, to: number): number[] {
    const way: number[] = [];
    for (let at = from; at !== to; at = this.hops.all[way[way.length - 1]].to) {
      way.push(this.first[at * this.ranks + to]);
    }
    return way;
  }
}

/** Indices of the hops of a cheapest way from one rank to another (Dijkstra 1959). */
export function cheapestWay({ ranks, all, leaving }: Hops, prices: Float64Array, from: number, to: number): number[] {
  const price = new Float64Array(ranks).fill(Number.POSITIVE_INFINITY);
  const last = new Int32Array(ranks).fill(-1);
  const open = new Set([from]);
  price[from] = 0;
  for (let at = from; at !== to; ) {
    open.delete(at);
    for (const hop of leaving[at]) {
      const next = all[hop].to;
      if (price[at] + prices[hop] >= price[next] * (1 - 1e-12)) continue;
      price[next] = price[at] + prices[hop];
      last[next] = hop;
      open.add(next);
    }
    at = -1;
    for (const rank of open) if (at < 0 || price[rank] < price[at]) at = rank;
    if (at < 0) return [];
  }
  const way: number[] = [];
  for (let at = to; at !== from; at = all[last[at]].from) way.push(last[at]);
  return way.reverse();
}

/** Cheapest ways made of hops, messages between chips that meet no other chip on their way, and what hops hold of the machine. */
import { NearestFirst } from '../../cost/nearest-first.ts';
import type { Routes } from '../../ir/routes.ts';
import { type ArcNetwork, arcNetwork } from '../arcs.ts';

export interface Hops extends ArcNetwork {
  /** For how long a hop holds what it holds for longest, of all hops the longest, in seconds per byte. */
  readonly slowest: number;
  /** By hop: the rank that it leads to. */
  readonly ends: Int32Array;
}

export function hopsOf(routes: Routes): Hops {
  const network = arcNetwork(routes);
  return {
    ...network,
    slowest: network.arcs.reduce((most, { secondsPerByte }) => Math.max(most, ...secondsPerByte), 0),
    ends: Int32Array.from(network.arcs, ({ to }) => to),
  };
}

/** The cheapest ways between all ranks, for prices of hops. */
export interface Ways {
  /** By source, then destination: what they cost; Infinity where no way leads. */
  readonly costs: readonly Float64Array[];
  /** Indices of the hops of the way from a rank to another; none where no way leads. */
  way(from: number, to: number): number[];
}

/** Of equally good ways those past lower ranks: what they are combined with is there sooner (Floyd 1962). */
export function cheapestWays({ ranks, arcs }: Hops, prices: Float64Array): Ways {
  const costs = Array.from({ length: ranks }, (_, from) => {
    const row = new Float64Array(ranks).fill(Number.POSITIVE_INFINITY);
    row[from] = 0;
    return row;
  });
  /** By source, then destination: the last hop. */
  const last = costs.map(() => new Int32Array(ranks).fill(-1));
  for (const [hop, { from, to }] of arcs.entries()) {
    if (prices[hop] >= costs[from][to]) continue;
    costs[from][to] = prices[hop];
    last[from][to] = hop;
  }
  for (let past = 0; past < ranks; past++) {
    const onwards = costs[past];
    for (let from = 0; from < ranks; from++) {
      const [row, first] = [costs[from], costs[from][past]];
      if (first === Number.POSITIVE_INFINITY || from === past) continue;
      for (let to = 0; to < ranks; to++) {
        const cost = first + onwards[to];
        if (cost >= row[to] * (1 - 1e-12)) continue;
        row[to] = cost;
        last[from][to] = last[past][to];
      }
    }
  }
  return { costs, way: (from, to) => wayBack(to, last[from], arcs) };
}

/** The cheapest way from a rank to another, and how many hops were looked at for it. */
export function cheapestWay({ ranks, arcs, ends, outgoing }: Hops, prices: Float64Array, from: number, until: number) {
  const last = new Int32Array(ranks).fill(-1);
  const search = new NearestFirst(ranks);
  search.reach(from, 0);
  let looks = ranks;
  for (let at = search.next(); at >= 0 && at !== until; at = search.next()) {
    looks += outgoing[at].length;
    for (const hop of outgoing[at]) {
      const length = search.length[at] + prices[hop];
      if (length < search.length[until] && search.reach(ends[hop], length)) last[ends[hop]] = hop;
    }
  }
  return { way: wayBack(until, last, arcs), looks };
}

/** @param last the last hop on the way to a rank */
function wayBack(to: number, last: Int32Array, arcs: Hops['arcs']): number[] {
  const way: number[] = [];
  for (let at = to; last[at] >= 0; at = arcs[last[at]].from) way.push(last[at]);
  return way.reverse();
}

/** What a hop costs beside what it holds, in parts of holding an idle resource: of equally good ways the short ones are taken. */
const leastPrice = 1e-3;

/** For how long hops hold links and ports, in seconds for each byte of a chunk, and what one chunk more costs: the more, the busier what it holds is. */
export class Loads {
  /** By hop. */
  readonly prices: Float64Array;
  private readonly hops: Hops;
  private readonly loads: Float64Array;
  /** By resource: the hops that hold it, those together that hold it for as long for each byte. */
  private readonly holders: readonly ReadonlyMap<number, readonly number[]>[];
  private scale = 0;

  constructor(hops: Hops) {
    this.hops = hops;
    this.loads = new Float64Array(hops.resources);
    this.prices = new Float64Array(hops.arcs.length);
    const holders = Array.from({ length: hops.resources }, () => new Map<number, number[]>());
    for (const [hop, { resources, secondsPerByte }] of hops.arcs.entries()) {
      for (const [index, resource] of resources.entries()) {
        const alike = holders[resource].get(secondsPerByte[index]) ?? [];
        holders[resource].set(secondsPerByte[index], alike);
        alike.push(hop);
      }
    }
    this.holders = holders;
    this.rescale();
  }

  /** @param times how often each hop of a way is taken; negative to undo that. Prices follow, against what is dear since `rescale` */
  put(way: readonly number[], times: number): void {
    for (const hop of way) {
      const { resources, secondsPerByte: seconds } = this.hops.arcs[hop];
      for (const [index, resource] of resources.entries()) {
        const before = this.loads[resource];
        this.loads[resource] = Math.max(0, before + times * seconds[index]);
        for (const [time, holders] of this.holders[resource]) {
          const more = this.priceAt(this.loads[resource], time) - this.priceAt(before, time);
          for (const holder of holders) this.prices[holder] += more;
        }
      }
    }
  }

  busiest(): number {
    return this.loads.reduce((most, load) => Math.max(most, load), 0);
  }

  /** What is held for as long as the busiest is dear, until the next time. */
  rescale(): void {
    this.scale = Math.max(this.busiest(), this.hops.slowest);
    this.prices.fill(leastPrice);
    for (const [resource, held] of this.holders.entries()) {
      for (const [time, holders] of held) {
        const price = this.priceAt(this.loads[resource], time);
        for (const holder of holders) this.prices[holder] += price;
      }
    }
  }

  /** Of holding for longer what is held so long already. */
  private priceAt(load: number, seconds: number): number {
    const share = (load + seconds) / this.scale;
    const [square, idle] = [share * share, seconds / this.hops.slowest];
    return idle * (square * square * square * square + leastPrice);
  }
}

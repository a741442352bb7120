/** Cheapest ways made of hops, messages between chips that meet no other chip on their way, and what hops hold of the machine. */
import { NearestFirst } from '../../cost/nearest-first.ts';
import type { Routes } from '../../ir/routes.ts';
import { type ArcNetwork, arcNetwork } from '../arcs.ts';

export interface Hops extends ArcNetwork {
  /** By hop: the ranks that it joins. */
  readonly sources: Int32Array;
  readonly destinations: Int32Array;
  /** What hops hold is numbered, hop by hop: the first of each hop and, at the end, how many there are. */
  readonly firsts: Int32Array;
  /** By number: the hop, and for how long it holds the resource for each byte. */
  readonly holder: Int32Array;
  readonly seconds: Float64Array;
  /** By resource: the numbers of what holds it. */
  readonly holds: readonly Int32Array[];
  /** For how long a hop holds what it holds for longest, of all hops the longest, in seconds per byte. */
  readonly slowest: number;
}

export function hopsOf(routes: Routes): Hops {
  const network = arcNetwork(routes);
  const { arcs } = network;
  const firsts = new Int32Array(arcs.length + 1);
  const holds: number[][] = Array.from({ length: network.resources }, () => []);
  for (const [hop, { resources }] of arcs.entries()) {
    firsts[hop + 1] = firsts[hop] + resources.length;
    for (const [index, resource] of resources.entries()) holds[resource].push(firsts[hop] + index);
  }
  const seconds = Float64Array.from(arcs.flatMap(({ secondsPerByte }) => secondsPerByte));
  return {
    ...network,
    sources: Int32Array.from(arcs, ({ from }) => from),
    destinations: Int32Array.from(arcs, ({ to }) => to),
    firsts,
    holder: Int32Array.from(arcs.flatMap(({ resources }, hop) => resources.map(() => hop))),
    seconds,
    holds: holds.map((numbers) => Int32Array.from(numbers)),
    slowest: seconds.reduce((most, each) => Math.max(most, each), 0),
  };
}

/** Finds the cheapest ways, for prices of hops. */
export class Ways {
  /** Ranks and hops that have been looked at. */
  looks = 0;
  private readonly hops: Hops;
  private readonly search: NearestFirst;
  /** By rank: the last hop on the way to it; −1 where none leads. */
  private readonly last: Int32Array;

  constructor(hops: Hops) {
    this.hops = hops;
    this.search = new NearestFirst(hops.ranks);
    this.last = new Int32Array(hops.ranks);
  }

  /** By rank: what the way costs; Infinity where none leads. */
  costs(prices: Float64Array, from: number): Float64Array {
    this.spread(prices, from, -1, false);
    return this.search.length.slice();
  }

  /**
   * Indices of the hops of a way; none where none leads.
   *
   * @param isLow of equally good ways one past lower ranks: what it is combined with is there sooner; else any
   */
  way(prices: Float64Array, from: number, to: number, isLow = false): number[] {
    this.spread(prices, from, to, isLow);
    const way: number[] = [];
    for (let at = to; this.last[at] >= 0; at = this.hops.sources[this.last[at]]) way.push(this.last[at]);
    return way.reverse();
  }

  /** @param until the only rank of interest, if not negative */
  private spread(prices: Float64Array, from: number, until: number, isLow: boolean): void {
    const { search, last } = this;
    const { ranks, sources, destinations, outgoing } = this.hops;
    search.clear();
    last.fill(-1);
    search.reach(from, 0);
    this.looks += ranks;
    for (let at = search.next(); at >= 0 && at !== until; at = search.next()) {
      this.looks += outgoing[at].length;
      for (const hop of outgoing[at]) {
        const to = destinations[hop];
        const length = search.length[at] + prices[hop];
        const isSame = isLow && length <= search.length[to] * (1 + 1e-12);
        const isLower = isSame && last[to] >= 0 && at < sources[last[to]];
        if (search.reach(to, length) || isLower) last[to] = hop;
      }
    }
  }
}

/** What a hop costs beside what it holds, in parts of holding an idle resource: of equally good ways the short ones are taken. */
const leastPrice = 1e-3;

/** For how long hops hold links and ports, in seconds for each byte of a chunk, and what one chunk more costs: the more, the busier what it holds is. */
export class Loads {
  private readonly hops: Hops;
  /** By resource. */
  private readonly loads: Float64Array;
  /** What has another load since prices were told. */
  private readonly changed = new Set<number>();
  /** By hop, and what each thing that it holds adds to that. */
  private readonly told: Float64Array;
  private readonly paid: Float64Array;
  private scale = 0;
  /** Holders that have been told another price. */
  looks = 0;

  constructor(hops: Hops, loads = new Float64Array(hops.resources)) {
    this.hops = hops;
    this.loads = loads;
    this.told = new Float64Array(hops.arcs.length);
    this.paid = new Float64Array(hops.holder.length);
    this.rescale();
  }

  /** The same, to go on by itself. */
  copy(): Loads {
    return new Loads(this.hops, this.loads.slice());
  }

  /** @param times how often each hop of a way is taken; negative to undo that */
  put(way: readonly number[], times: number): void {
    for (const hop of way) {
      const { resources, secondsPerByte: seconds } = this.hops.arcs[hop];
      for (const [index, resource] of resources.entries()) {
        this.loads[resource] = Math.max(0, this.loads[resource] + times * seconds[index]);
        this.changed.add(resource);
      }
    }
  }

  busiest(): number {
    return this.loads.reduce((most, load) => Math.max(most, load), 0);
  }

  /** What is held for as long as the busiest is dear, until the next time. */
  rescale(): void {
    this.scale = Math.max(this.busiest(), this.hops.slowest);
    for (const resource of this.loads.keys()) this.changed.add(resource);
  }

  /** By hop, for loads as they are: what is held for long, against what is dear since `rescale`, costs more. */
  prices(): Float64Array {
    const { hops, loads, changed, told, paid } = this;
    const dearer = new Set<number>();
    for (const resource of changed) {
      for (const number of hops.holds[resource]) {
        const seconds = hops.seconds[number];
        const square = ((loads[resource] + seconds) / this.scale) ** 2;
        const fourth = square * square;
        paid[number] = (seconds / hops.slowest) * (fourth * fourth + leastPrice);
        dearer.add(hops.holder[number]);
      }
      this.looks += hops.holds[resource].length;
    }
    changed.clear();
    for (const hop of dearer) {
      let price = leastPrice;
      for (let number = hops.firsts[hop]; number < hops.firsts[hop + 1]; number++) price += paid[number];
      told[hop] = price;
    }
    return told;
  }
}

/** Cheapest ways made of hops, messages between chips that meet no other chip on their way, and what hops hold of the machine. */
import { NearestFirst } from '../../cost/nearest-first.ts';
import type { Routes } from '../../ir/routes.ts';
import { type ArcNetwork, arcNetwork } from '../arcs.ts';

export interface Hops extends ArcNetwork {
  /** For how long a hop holds what it holds for longest, of all hops the longest, in seconds per byte. */
  readonly slowest: number;
}

export function hopsOf(routes: Routes): Hops {
  const network = arcNetwork(routes);
  return {
    ...network,
    slowest: network.arcs.reduce((most, { secondsPerByte }) => Math.max(most, ...secondsPerByte), 0),
  };
}

/** The cheapest ways from a rank, for prices of hops. */
export interface WaysFrom {
  /** By rank: what they cost; Infinity where no way leads. */
  readonly costs: Float64Array;
  /** Hops that were looked at. */
  readonly looks: number;
  /** Indices of the hops of the way to a rank; none where no way leads. */
  to(rank: number): number[];
}

/** @param until the only rank of interest; of equally good ways to it any is taken */
export function waysFrom({ ranks, arcs, outgoing }: Hops, prices: Float64Array, from: number, until = -1): WaysFrom {
  const last = new Int32Array(ranks).fill(-1);
  const search = new NearestFirst(ranks);
  search.reach(from, 0);
  let looks = ranks;
  for (let at = search.next(); at >= 0 && at !== until; at = search.next()) {
    looks += outgoing[at].length;
    for (const hop of outgoing[at]) {
      const { to } = arcs[hop];
      const length = search.length[at] + prices[hop];
      // Where it costs the same, past lower ranks: what it is combined with is there sooner.
      const isLower = until < 0 && length <= search.length[to] * (1 + 1e-12) && at < arcs[last[to]]?.from;
      if (search.reach(to, length) || isLower) last[to] = hop;
    }
  }
  const to = (rank: number): number[] => {
    const way: number[] = [];
    for (let at = rank; last[at] >= 0; at = arcs[last[at]].from) way.push(last[at]);
    return way.reverse();
  };
  return { costs: search.length, looks, to };
}

/** What a hop costs beside what it holds, in parts of holding an idle resource: of equally good ways the short ones are taken. */
const leastPrice = 1e-3;

/** For how long hops hold links and ports, in seconds for each byte of a chunk, and what one chunk more costs: the more, the busier what it holds is. */
export class Loads {
  /** By hop. */
  readonly prices: Float64Array;
  private readonly hops: Hops;
  private readonly loads: Float64Array;
  /** What hops hold is numbered, hop by hop: the first of each hop and, at the end, how many there are. */
  private readonly firsts: Int32Array;
  /** By number: the hop, for how long it holds the resource for each byte, and what it pays for that. */
  private readonly holder: Int32Array;
  private readonly seconds: Float64Array;
  private readonly paid: Float64Array;
  /** By resource: the numbers of what holds it. */
  private readonly holds: readonly number[][];
  private scale = 0;

  constructor(hops: Hops) {
    const { arcs, resources } = hops;
    this.hops = hops;
    this.loads = new Float64Array(resources);
    this.prices = new Float64Array(arcs.length);
    this.firsts = new Int32Array(arcs.length + 1);
    for (const [hop, arc] of arcs.entries()) this.firsts[hop + 1] = this.firsts[hop] + arc.resources.length;
    this.holder = Int32Array.from(arcs.flatMap((arc, hop) => arc.resources.map(() => hop)));
    this.seconds = Float64Array.from(arcs.flatMap(({ secondsPerByte }) => secondsPerByte));
    this.paid = new Float64Array(this.seconds.length);
    this.holds = Array.from({ length: resources }, () => []);
    for (const [number, resource] of arcs.flatMap((arc) => arc.resources).entries()) this.holds[resource].push(number);
    this.rescale();
  }

  /** @param times how often each hop of a way is taken; negative to undo that. Prices follow, against what is dear since `rescale` */
  put(way: readonly number[], times: number): void {
    const held = new Set<number>();
    for (const hop of way) {
      const { resources, secondsPerByte: seconds } = this.hops.arcs[hop];
      for (const [index, resource] of resources.entries()) {
        this.loads[resource] = Math.max(0, this.loads[resource] + times * seconds[index]);
        held.add(resource);
      }
    }
    const changed = new Uint8Array(this.prices.length);
    for (const resource of held) this.pay(resource, changed);
    for (let hop = 0; hop < changed.length; hop++) if (changed[hop] === 1) this.sumUp(hop);
  }

  busiest(): number {
    return this.loads.reduce((most, load) => Math.max(most, load), 0);
  }

  /** What is held for as long as the busiest is dear, until the next time. */
  rescale(): void {
    this.scale = Math.max(this.busiest(), this.hops.slowest);
    const changed = new Uint8Array(this.prices.length);
    for (const resource of this.loads.keys()) this.pay(resource, changed);
    for (const hop of this.prices.keys()) this.sumUp(hop);
  }

  /** What is held so long already is dear. @param changed hops that hold it are marked */
  private pay(resource: number, changed: Uint8Array): void {
    const { holder, seconds, paid } = this;
    let [known, price] = [0, 0];
    for (const number of this.holds[resource]) {
      if (seconds[number] !== known) {
        known = seconds[number];
        const share = (this.loads[resource] + known) / this.scale;
        const square = share * share;
        price = (known / this.hops.slowest) * (square * square * square * square + leastPrice);
      }
      paid[number] = price;
      changed[holder[number]] = 1;
    }
  }

  private sumUp(hop: number): void {
    let price = leastPrice;
    for (let number = this.firsts[hop]; number < this.firsts[hop + 1]; number++) price += this.paid[number];
    this.prices[hop] = price;
  }
}

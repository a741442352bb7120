/** Selects the chips of a machine on which a smaller job should run: chips that are near each other. */
import { Routes } from '../ir/routes.ts';
import { ranksOf } from '../ir/topology.ts';
import { minStretchRing } from './rings/ring-order.ts';

/** Mean number of links between two ranks, over all pairs, and between neighbours on the ring 0, 1, …, N − 1. */
export interface Nearness {
  readonly pairs: number;
  readonly ring: number;
}

export interface NearestChips {
  /** The chip of each rank, by its number on the whole machine. */
  readonly chips: readonly number[];
  /** The same measures for the first chips in their own order. */
  readonly before: Nearness;
  readonly after: Nearness;
}

/**
 * Selects the chips with the fewest links between all pairs; ties go to the set found from the lowest chip. From every
 * chip a set grows greedily by the nearest chip, then members are exchanged while that reduces the total. Ranks are
 * ordered along the shortest ring through the set. A heuristic: densest subsets are NP-hard.
 * @param count between 1 and the number of chips
 */
export function nearestChips(routes: Routes, count: number): NearestChips {
  const chips = ranksOf(routes.topology);
  const links = linkCounts(routes, chips);
  const first = Array.from({ length: count }, (_, rank) => rank);
  let best = new NearSet(links, chips, first);
  const apart = Math.ceil((chips * chips * count) / mostAdded);
  for (let seed = 0; seed < chips; seed += apart) {
    const grown = new NearSet(links, chips, [seed]);
    grown.growTo(count);
    grown.improve();
    if (grown.total < best.total) best = grown;
  }
  const chosen = best.members();
  const { topology } = routes;
  const among = { ...topology, chips: chosen.map((chip) => topology.chips[chip]), shape: undefined, groups: [] };
  const { order } = minStretchRing(new Routes(among));
  const inOrder = order.map((rank) => chosen[rank]);
  const nearness = (set: readonly number[]): Nearness => nearnessOf(links, chips, set);
  return { chips: inOrder, before: nearness(first), after: nearness(inOrder) };
}

/**
 * Distances that growing sets may add up in total: half a second. On larger machines only some chips start a set; on
 * torus:8x8, mesh:9x7, hypercube:6 and torus:3x4x5 every 4th to 21st chip led to sets as near as all of them did.
 */
const mostAdded = 2 ** 28;

/** Number of links, summed over both directions; without a route, more than any route has. */
function linkCounts(routes: Routes, chips: number): Float64Array {
  const links = new Float64Array(chips * chips);
  const none = 2 * routes.topology.links.length + 1;
  for (let a = 0; a < chips; a++) {
    for (let b = 0; b < a; b++) {
      const both = Math.min(none, routes.hops(a, b)) + Math.min(none, routes.hops(b, a));
      links[a * chips + b] = both;
      links[b * chips + a] = both;
    }
  }
  return links;
}

function nearnessOf(links: Float64Array, chips: number, set: readonly number[]): Nearness {
  const between = (a: number, b: number): number => links[a * chips + b] / 2;
  const { length } = set;
  if (length < 2) return { pairs: 0, ring: 0 };
  const sum = set.reduce((all, a) => set.reduce((sofar, b) => sofar + between(a, b), all), 0);
  const round = set.reduce((all, a, at) => all + between(a, set[(at + 1) % length]), 0);
  return { pairs: sum / (length * (length - 1)), ring: round / length };
}

/** A set of chips, and the distance of each chip of the machine to all of it. */
class NearSet {
  /** Links between all pairs of the set. */
  total = 0;
  private readonly links: Float64Array;
  private readonly chips: number;
  private readonly has: Uint8Array;
  private readonly far: Float64Array;

  constructor(links: Float64Array, chips: number, members: readonly number[]) {
    this.links = links;
    this.chips = chips;
    this.has = new Uint8Array(chips);
    this.far = new Float64Array(chips);
    for (const chip of members) this.add(chip);
  }

  members(): readonly number[] {
    return Array.from(this.has.keys()).filter((chip) => this.has[chip] === 1);
  }

  growTo(count: number): void {
    for (let size = this.members().length; size < count; size++) {
      let next = -1;
      for (let chip = 0; chip < this.chips; chip++) {
        if (this.has[chip] === 0 && (next < 0 || this.far[chip] < this.far[next])) next = chip;
      }
      this.add(next);
    }
  }

  /** Exchanges a member for another chip, always the pair that gains most, until no exchange gains. */
  improve(): void {
    for (;;) {
      let [gain, leaves, comes] = [0, -1, -1];
      for (const member of this.members()) {
        for (let chip = 0; chip < this.chips; chip++) {
          if (this.has[chip] === 1) continue;
          const saved = this.far[member] - this.far[chip] + this.links[member * this.chips + chip];
          if (saved > gain) [gain, leaves, comes] = [saved, member, chip];
        }
      }
      if (leaves < 0) return;
      this.remove(leaves);
      this.add(comes);
    }
  }

  private add(chip: number): void {
    this.total += this.far[chip];
    this.has[chip] = 1;
    for (let other = 0; other < this.chips; other++) this.far[other] += this.links[chip * this.chips + other];
  }

  private remove(chip: number): void {
    this.has[chip] = 0;
    for (let other = 0; other < this.chips; other++) this.far[other] -= this.links[chip * this.chips + other];
    this.total -= this.far[chip];
  }
}

/**
 * Local search for tight cuts of custom collectives, in particular of several process groups at once. No single maximum
 * flow decides these, since each group has its own targets; the tightest cut often has some ranks of every group on
 * either side. The search flips single nodes and exchanges pairs of nodes from many starting sides; on small machines
 * it enumerates all sides. It is a heuristic: any side gives a valid bound.
 */
import { type Collective, messageChunks } from '../../ir/collective.ts';
import { Random } from '../../ir/random.ts';
import type { Topology } from '../../ir/topology.ts';
import { rounding } from '../../ir/units.ts';
import { multicastDemandsOf } from '../demands.ts';
import { searched } from '../limits.ts';
import type { Side } from './sides.ts';

/**
 * The sides with the most bytes per bandwidth among those that the search visited, all different; ports are ignored.
 */
export function improvedSides(collective: Collective, topology: Topology): Side[] {
  const { nodes, chips } = topology;
  const search = new SideSearch(collective, topology);
  const found = new Map<string, { readonly side: Side; readonly rate: number }>();
  const keep = (rate: number): void => {
    const inside = search.inside.slice();
    const holders = Uint8Array.from(chips, (chip) => inside[chip]);
    found.set(inside.join(''), { side: { inside, holders }, rate });
  };
  const random = new Random(1);
  for (let start = 0; start < searched.improvedStarts && search.work < searched.improvedWork; start++) {
    const share = 1 + random.below(9);
    search.begin(Uint8Array.from(nodes, () => (random.below(10) < share ? 1 : 0)));
    keep(search.improve());
  }
  if (nodes.length <= searched.nodesForAllSides) keep(search.beginWithTightest());
  const best = [...found.values()].sort((a, b) => b.rate - a.rate).filter(({ rate }) => rate > 0);
  return best.slice(0, searched.sides).map(({ side }) => side);
}

/** One side, and the incremental effect of moving a node across it. */
class SideSearch {
  inside = new Uint8Array(0);
  /** Work done so far, in links and demands visited. */
  work = 0;
  private readonly linksAt: readonly (readonly Topology['links'][number][])[];
  /** By node: the demands to which its rank contributes (`given`) and those that it wants (`wanted`). */
  private readonly given: readonly (readonly number[])[];
  private readonly wanted: readonly (readonly number[])[];
  private readonly amount: readonly number[];
  private readonly wanters: readonly number[];
  /** By demand: how many of its contributors, and how many of its targets, are inside. */
  private readonly givenInside: Int32Array;
  private readonly wantedInside: Int32Array;
  private bandwidth = 0;
  private bytes = 0;

  constructor(collective: Collective, { nodes, links, chips }: Topology) {
    const demands = multicastDemandsOf(collective);
    const linksAt: Topology['links'][number][][] = nodes.map(() => []);
    for (const link of links) {
      linksAt[link.from].push(link);
      linksAt[link.to].push(link);
    }
    const given: number[][] = nodes.map(() => []);
    const wanted: number[][] = nodes.map(() => []);
    demands.forEach(({ contributors, wanters }, demand) => {
      for (const rank of contributors) given[chips[rank]].push(demand);
      for (const rank of wanters) wanted[chips[rank]].push(demand);
    });
    this.linksAt = linksAt;
    this.given = given;
    this.wanted = wanted;
    this.amount = demands.map(({ chunks }) => chunks / messageChunks(collective));
    this.wanters = demands.map(({ wanters }) => wanters.length);
    this.givenInside = new Int32Array(demands.length);
    this.wantedInside = new Int32Array(demands.length);
  }

  begin(inside: Uint8Array): void {
    this.inside = new Uint8Array(inside.length);
    this.givenInside.fill(0);
    this.wantedInside.fill(0);
    this.bandwidth = 0;
    this.bytes = 0;
    for (const [node, bit] of inside.entries()) if (bit === 1) this.flip(node);
  }

  /** Enumerates all sides in Gray-code order, moves to the one with the highest rate and returns that rate. */
  beginWithTightest(): number {
    const nodes = this.inside.length;
    let tightest = new Uint8Array(nodes);
    let highest = 0;
    this.begin(tightest);
    for (let side = 1; side < 2 ** nodes; side++) {
      this.flip(31 - Math.clz32(side & -side));
      if (this.rate() <= highest * (1 + rounding)) continue;
      highest = this.rate();
      tightest = this.inside.slice();
    }
    this.begin(tightest);
    return highest;
  }

  /** Flips single nodes, then pairs, while that increases the rate; returns the final rate. */
  improve(): number {
    const nodes = this.inside.length;
    let rate = this.rate();
    const isBetter = (...flipped: readonly number[]): boolean => {
      for (const node of flipped) this.flip(node);
      const changed = this.rate();
      if (changed > rate * (1 + rounding)) {
        rate = changed;
        return true;
      }
      for (const node of flipped) this.flip(node);
      return false;
    };
    for (let improving = true; improving && this.work < searched.improvedWork; ) {
      improving = false;
      for (let node = 0; node < nodes; node++) if (isBetter(node)) improving = true;
      if (improving || nodes > searched.nodesToExchange) continue;
      for (let a = 1; a < nodes && !improving; a++) {
        for (let b = 0; b < a && !improving; b++) improving = isBetter(a, b);
      }
    }
    return rate;
  }

  private rate(): number {
    return this.bandwidth > 0 ? this.bytes / this.bandwidth : 0;
  }

  private flip(node: number): void {
    const { inside, given, wanted } = this;
    const entering = inside[node] === 0;
    const step = entering ? 1 : -1;
    for (const { from, to, bandwidth } of this.linksAt[node]) {
      // A link that leaves the node is in the cut if the node is inside and the far end outside; for a link that enters
      // it, the other way round.
      if (from === node) this.bandwidth += inside[to] === 0 ? step * bandwidth : 0;
      else if (inside[from] === 1) this.bandwidth -= step * bandwidth;
    }
    inside[node] = entering ? 1 : 0;
    for (const demand of given[node]) {
      const before = this.bytesOf(demand);
      this.givenInside[demand] += step;
      this.bytes += this.bytesOf(demand) - before;
    }
    for (const demand of wanted[node]) {
      const before = this.bytesOf(demand);
      this.wantedInside[demand] += step;
      this.bytes += this.bytesOf(demand) - before;
    }
    this.work += this.linksAt[node].length + given[node].length + wanted[node].length;
  }

  /**
   * Bytes of a demand that must cross, for a message of one byte: all of it if a contributor is inside and a target
   * outside.
   */
  private bytesOf(demand: number): number {
    const crosses = this.givenInside[demand] > 0 && this.wantedInside[demand] < this.wanters[demand];
    return crosses ? this.amount[demand] : 0;
  }
}

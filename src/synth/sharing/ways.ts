/**
 * Ways for several groups of ranks that work at the same time on links that they share. Each group joins its ranks by trees, over chips
 * of others where that is better; by multiplicative weights (Plotkin, Shmoys and Tardos 1995) all trees together keep no link busy for
 * much longer than they must: take shortest trees, make links longer the busier they are, and so on. What trees used most often is
 * what a group is given.
 */
import { NearestFirst } from '../../cost/nearest-first.ts';
import type { Topology } from '../../ir/topology.ts';
import type { BytesPerSecond } from '../../ir/units.ts';

/** A way from a rank of a group to another one, and the part of its links' bandwidth that it is given. */
export interface Way {
  /** Link indices in travelling order. */
  readonly links: readonly number[];
  readonly bandwidth: BytesPerSecond;
}

/** Links looked at in the whole search. */
const searchWork = 4_000_000;
const mostRounds = 400;
/** Ways get whole multiples of this part of the slowest link; those with less than half of it are left out. */
const finest = 1 / 12;

/**
 * The ways of each group, over chips of groups only: others have no part in what groups do. Undefined where some link has no link
 * back, or some chip cannot be reached.
 *
 * @param groups ranks of the machine, no rank in two groups
 */
export function waysForGroups(
  topology: Topology,
  groups: readonly (readonly number[])[],
): readonly (readonly Way[])[] | undefined {
  const search = WaySearch.of(topology, groups);
  return search?.run();
}

class WaySearch {
  private readonly topology: Topology;
  private readonly groups: readonly (readonly number[])[];
  private readonly outgoing: readonly (readonly number[])[];
  /** By link: the link back. */
  private readonly back: Int32Array;
  private readonly length: Float64Array;
  private readonly load: Float64Array;
  /** Of each group: how often each way was part of a tree, by its links. */
  private readonly taken: Map<string, { readonly links: readonly number[]; times: number }>[];

  private constructor(topology: Topology, groups: readonly (readonly number[])[], back: Int32Array) {
    const members = new Set(groups.flatMap((group) => group.map((rank) => topology.chips[rank])));
    const outgoing: number[][] = topology.nodes.map(() => []);
    topology.links.forEach(({ from, to }, link) => {
      if (members.has(to)) outgoing[from].push(link);
    });
    this.topology = topology;
    this.groups = groups;
    this.outgoing = outgoing;
    this.back = back;
    this.length = Float64Array.from(topology.links, ({ bandwidth }) => 1 / bandwidth);
    this.load = new Float64Array(topology.links.length);
    this.taken = groups.map(() => new Map());
  }

  static of(topology: Topology, groups: readonly (readonly number[])[]): WaySearch | undefined {
    const byEnds = new Map(topology.links.map(({ from, to }, link) => [`${from} ${to}`, link]));
    const back = Int32Array.from(topology.links, ({ from, to }) => byEnds.get(`${to} ${from}`) ?? -1);
    return back.includes(-1) ? undefined : new WaySearch(topology, groups, back);
  }

  run(): readonly (readonly Way[])[] | undefined {
    const { links } = this.topology;
    const perRound = links.length * this.groups.reduce((sum, { length }) => sum + length, 0);
    const rounds = Math.max(1, Math.min(mostRounds, Math.floor(searchWork / perRound)));
    let least = Number.POSITIVE_INFINITY;
    for (let round = 1; round <= rounds; round++) {
      for (const group of this.groups.keys()) if (!this.addTree(group)) return undefined;
      const busy = links.map(({ bandwidth }, link) => this.load[link] / bandwidth / round);
      const busiest = busy.reduce((most, each) => Math.max(most, each), 0);
      least = Math.min(least, busiest);
      const pace = 2 * Math.sqrt(round);
      for (const [link, { bandwidth }] of links.entries()) {
        this.length[link] = Math.exp(pace * (busy[link] / busiest - 1)) / bandwidth;
      }
    }
    const unit =
      finest * links.reduce((slowest, { bandwidth }) => Math.min(slowest, bandwidth), Number.POSITIVE_INFINITY);
    return this.taken.map((ways) => {
      const given = [...ways.values()].map(({ links: along, times }) => {
        return { links: along, bandwidth: Math.round(times / rounds / least / unit) * unit };
      });
      return given.filter(({ bandwidth }) => bandwidth > 0);
    });
  }

  /** One more tree of a group, half of it each way; false if it does not reach all. */
  private addTree(group: number): boolean {
    const chips = this.groups[group].map((rank) => this.topology.chips[rank]);
    const joined = new Set(chips.slice(0, 1));
    const apart = new Set(chips.slice(1));
    while (apart.size > 0) {
      const way = this.nearest(joined, apart);
      if (way === undefined) return false;
      const end = this.topology.links[way[way.length - 1]].to;
      apart.delete(end);
      joined.add(end);
      this.take(group, way);
      this.take(
        group,
        [...way].reverse().map((link) => this.back[link]),
      );
    }
    return true;
  }

  private take(group: number, links: readonly number[]): void {
    const name = links.join(' ');
    const way = this.taken[group].get(name) ?? { links, times: 0 };
    way.times += 0.5;
    this.taken[group].set(name, way);
    for (const link of links) this.load[link] += 0.5;
  }

  /** The shortest way from some chip of a tree to one that it has not reached. */
  private nearest(joined: ReadonlySet<number>, apart: ReadonlySet<number>): number[] | undefined {
    const { nodes, links } = this.topology;
    const arrivedBy = new Int32Array(nodes.length).fill(-1);
    const search = new NearestFirst(nodes.length);
    for (const chip of joined) search.reach(chip, 0);
    for (let node = search.next(); node >= 0; node = search.next()) {
      if (apart.has(node)) return wayTo(node, arrivedBy, links);
      for (const link of this.outgoing[node]) {
        const { to } = links[link];
        if (search.reach(to, search.length[node] + this.length[link])) arrivedBy[to] = link;
      }
    }
    return undefined;
  }
}

function wayTo(end: number, arrivedBy: Int32Array, links: Topology['links']): number[] {
  const way: number[] = [];
  for (let node = end; arrivedBy[node] >= 0; node = links[arrivedBy[node]].from) way.push(arrivedBy[node]);
  return way.reverse();
}

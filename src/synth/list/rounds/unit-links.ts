/**
 * Machines in which all links can work in lock step: chips joined directly, one latency, bandwidths that are small multiples
 * of the least. A link of u units carries u items per round.
 */
import { ranksOf, type Topology } from '../../../ir/topology.ts';

/** Links by the rank they lead to: those into rank r are `firstInto[r] … firstInto[r + 1] − 1`. */
export interface UnitLinks {
  readonly ranks: number;
  /** Seconds that a message takes beside its bytes, and bytes per second of one unit. */
  readonly latency: number;
  readonly bandwidth: number;
  /** The topology states the same units: schedules can claim rounds. */
  readonly stated: boolean;
  readonly firstInto: Int32Array;
  readonly from: Int32Array;
  readonly units: Int32Array;
}

export type UnitLinksOrReason = { readonly links: UnitLinks } | { readonly reason: string };

/** Whether some links are wider than others. */
export function isMixed({ units }: UnitLinks): boolean {
  return units.some((each) => each !== units[0]);
}

/** Units of links into a rank. */
export function breadthOf({ units, firstInto }: UnitLinks, rank: number): number {
  let breadth = 0;
  for (let link = firstInto[rank]; link < firstInto[rank + 1]; link++) breadth += units[link];
  return breadth;
}

/** Units of links into the rank that has the fewest, among those that lack something: all, or all but the root. */
export function leastBreadth(links: UnitLinks, root?: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let rank = 0; rank < links.ranks; rank++) {
    if (rank !== root) least = Math.min(least, breadthOf(links, rank));
  }
  return least;
}

/** By rank: the ranks to which it has links. */
export function neighboursOf({ ranks, firstInto, from }: UnitLinks): readonly (readonly number[])[] {
  const outward: number[][] = Array.from({ length: ranks }, () => []);
  for (let rank = 0; rank < ranks; rank++) {
    for (let link = firstInto[rank]; link < firstInto[rank + 1]; link++) outward[from[link]].push(rank);
  }
  return outward;
}

/** The links of a machine in units, or why rounds would not fit it. */
export function unitLinksOf(topology: Topology): UnitLinksOrReason {
  const { nodes, links, chips } = topology;
  const rankOf = new Int32Array(nodes.length).fill(-1);
  chips.forEach((node, rank) => {
    rankOf[node] = rank;
  });
  if (links.some(({ from, to }) => rankOf[from] < 0 || rankOf[to] < 0)) {
    return { reason: 'rounds need chips joined directly, without switches' };
  }
  if (links.some(({ latency, occupancy }) => latency !== links[0].latency || occupancy !== links[0].occupancy)) {
    return { reason: 'rounds need links of one latency and occupancy' };
  }
  const least = links.reduce((width, { bandwidth }) => Math.min(width, bandwidth), Number.POSITIVE_INFINITY);
  const into: Map<number, number>[] = chips.map(() => new Map());
  for (const { from, to, bandwidth } of links) {
    const units = Math.round(bandwidth / least);
    // Beyond 2³¹ they fit no column, and the narrowest link is as good as dead.
    if (units >= 2 ** 31 || Math.abs(units * least - bandwidth) > 1e-9 * bandwidth) {
      return { reason: 'rounds need bandwidths that are multiples of the least, less than 2 ** 31' };
    }
    const sources = into[rankOf[to]];
    sources.set(rankOf[from], Math.max(units, sources.get(rankOf[from]) ?? 0));
  }
  const outDegree = new Int32Array(ranksOf(topology));
  for (const sources of into) for (const from of sources.keys()) outDegree[from]++;
  if (chips.some((node, r) => nodes[node].ports.send < outDegree[r] || nodes[node].ports.receive < into[r].size)) {
    return { reason: 'rounds need a port for every link' };
  }
  const stated = links.every(({ bandwidth, units }) => units === Math.round(bandwidth / least));
  return { links: { latency: links[0].latency, bandwidth: least, stated, ...inColumns(into) } };
}

function inColumns(into: readonly ReadonlyMap<number, number>[]) {
  const firstInto = new Int32Array(into.length + 1);
  into.forEach((sources, rank) => {
    firstInto[rank + 1] = firstInto[rank] + sources.size;
  });
  return {
    ranks: into.length,
    firstInto,
    from: Int32Array.from(into.flatMap((sources) => [...sources.keys()])),
    units: Int32Array.from(into.flatMap((sources) => [...sources.values()])),
  };
}

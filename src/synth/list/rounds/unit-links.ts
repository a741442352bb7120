/**
 * Machines in which all links can work in lock step: chips joined directly, one latency, bandwidths that are small multiples
 * of the least. A link of u units carries u items per round.
 */
import type { Topology } from '../../../ir/topology.ts';

/** A link between ranks. */
interface UnitLink {
  readonly from: number;
  readonly to: number;
  readonly units: number;
}

/** What is the same of all links. */
interface Clock {
  /** Seconds that a message takes beside its bytes, and bytes per second of one unit. */
  readonly latency: number;
  readonly bandwidth: number;
  /** The topology states the same units: schedules can claim rounds. */
  readonly stated: boolean;
}

/** Links by the rank they lead to: those into rank r are `firstInto[r] … firstInto[r + 1] − 1`. */
export interface UnitLinks extends Clock {
  readonly ranks: number;
  readonly firstInto: Int32Array;
  readonly from: Int32Array;
  readonly units: Int32Array;
}

export function inColumns(ranks: number, links: readonly UnitLink[], clock: Clock): UnitLinks {
  const sorted = links.toSorted((a, b) => a.to - b.to || a.from - b.from);
  const firstInto = new Int32Array(ranks + 1);
  for (const { to } of sorted) firstInto[to + 1]++;
  for (let rank = 0; rank < ranks; rank++) firstInto[rank + 1] += firstInto[rank];
  const from = Int32Array.from(sorted, (link) => link.from);
  const units = Int32Array.from(sorted, (link) => link.units);
  return { ranks, firstInto, from, units, ...clock };
}

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

/** By rank: the ranks to which it has links. */
export function neighboursOf({ ranks, firstInto, from }: UnitLinks): readonly (readonly number[])[] {
  const outward: number[][] = Array.from({ length: ranks }, () => []);
  for (let rank = 0; rank < ranks; rank++) {
    for (let link = firstInto[rank]; link < firstInto[rank + 1]; link++) outward[from[link]].push(rank);
  }
  return outward;
}

/** The links of a machine in units, or why rounds would not fit it. */
export function unitLinksOf({ nodes, links, chips }: Topology): { links: UnitLinks } | { reason: string } {
  const rankOf = new Map(chips.map((node, rank) => [node, rank]));
  const { latency, occupancy } = links[0];
  const least = links.reduce((width, { bandwidth }) => Math.min(width, bandwidth), Number.POSITIVE_INFINITY);
  const widest = new Map<string, UnitLink>();
  const degrees = chips.map(() => ({ in: 0, out: 0 }));
  for (const link of links) {
    const [from, to] = [rankOf.get(link.from), rankOf.get(link.to)];
    if (from === undefined || to === undefined) {
      return { reason: 'rounds need chips joined directly, without switches' };
    }
    if (link.latency !== latency || link.occupancy !== occupancy) {
      return { reason: 'rounds need links of one latency and occupancy' };
    }
    const units = Math.round(link.bandwidth / least);
    // Beyond 2³¹ they fit no column, and the narrowest link is as good as dead.
    if (units >= 2 ** 31 || Math.abs(units * least - link.bandwidth) > 1e-9 * link.bandwidth) {
      return { reason: 'rounds need bandwidths that are multiples of the least, less than 2 ** 31' };
    }
    const known = widest.get(`${from} ${to}`);
    if (known === undefined) {
      degrees[from].out++;
      degrees[to].in++;
    }
    if (units > (known?.units ?? 0)) widest.set(`${from} ${to}`, { from, to, units });
  }
  const isPortless = ({ ports }: Topology['nodes'][number], rank: number) =>
    ports.send < degrees[rank].out || ports.receive < degrees[rank].in;
  if (chips.some((node, rank) => isPortless(nodes[node], rank))) {
    return { reason: 'rounds need a port for every link' };
  }
  const stated = links.every(({ bandwidth, units }) => units === Math.round(bandwidth / least));
  return { links: inColumns(chips.length, [...widest.values()], { latency, bandwidth: least, stated }) };
}

/** A machine as schedules in rounds see it: what a round costs before its first byte, and what each byte on a way takes after that. */
import type { Routes } from '../../ir/routes.ts';
import type { Seconds } from '../../ir/units.ts';
import { type Ways, waysOf } from '../list/ways.ts';

/** What a byte takes of something. */
export interface Load {
  readonly resource: number;
  /** Seconds. */
  readonly perByte: number;
}

/** Resources are numbered: ways, then links that several of them share, then the ranks, which reduce. */
export interface RoundsNetwork {
  readonly ranks: number;
  /** Ranks at both ends of each way. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** What a round costs before its first byte: the greatest Σα of a way. */
  readonly latency: Seconds;
  /** By resource: how much sooner than that bytes begin to flow. */
  readonly headStart: Float64Array;
  /** By way: what a byte takes there. */
  readonly moving: readonly (readonly Load[])[];
  /** By rank: what a byte takes that is reduced there. */
  readonly reducing: readonly Load[];
}

/**
 * The network of a machine with the ways of at most so much latency.
 *
 * @param latency ways that take longer are left out
 * @param turned the machine with its links turned round
 * @returns undefined where messages exclude each other in ways that rounds do not show: chips with fewer ports than ways, or
 * ways that share a link which is held for the whole time of a message
 */
export function roundsNetwork(routes: Routes, latency: Seconds, turned: boolean): RoundsNetwork | undefined {
  const ways = waysOf(routes, turned);
  const { nodes, links, chips } = ways.topology;
  const kept = [...ways.from.keys()].filter((way) => ways.latency[way] <= latency);
  const shared = sharedLinks(ways, kept);
  if (!hasPorts(ways, kept) || shared.some(([link]) => links[link].occupancy === 'blocking')) return undefined;
  const moving: Load[][] = kept.map((way, resource) => [{ resource, perByte: 1 / ways.bandwidth[way] }]);
  shared.forEach(([link, over], index) => {
    for (const way of over) moving[way].push({ resource: kept.length + index, perByte: 1 / links[link].bandwidth });
  });
  const firstRank = kept.length + shared.length;
  const reducing = chips.map((node, rank) => ({
    resource: firstRank + rank,
    perByte: 1 / (nodes[node].reduce?.throughput ?? Number.POSITIVE_INFINITY),
  }));
  const greatest = kept.reduce((most, way) => Math.max(most, ways.latency[way]), 0);
  const headStart = new Float64Array(firstRank + chips.length);
  kept.forEach((way, index) => {
    headStart[index] = greatest - ways.latency[way];
  });
  return {
    ranks: ways.ranks,
    from: Int32Array.from(kept, (way) => ways.from[way]),
    to: Int32Array.from(kept, (way) => ways.to[way]),
    latency: greatest,
    headStart,
    moving,
    reducing,
  };
}

/** The different latencies of a machine's ways, the greatest first. */
export function waysLatencies(routes: Routes): readonly Seconds[] {
  return [...new Set(waysOf(routes, false).latency)].sort((a, b) => b - a);
}

/** Whether every chip can use all its ways at once. */
function hasPorts({ from, to, sendPorts, receivePorts, ranks }: Ways, kept: readonly number[]): boolean {
  const [out, into] = [new Int32Array(ranks), new Int32Array(ranks)];
  for (const way of kept) {
    out[from[way]]++;
    into[to[way]]++;
  }
  return (
    out.every((count, rank) => count <= sendPorts[rank]) && into.every((count, rank) => count <= receivePorts[rank])
  );
}

/** Links that several ways are over, with these ways by their place among those that are kept. */
function sharedLinks(ways: Ways, kept: readonly number[]): (readonly [number, readonly number[]])[] {
  const over = new Map<number, number[]>();
  kept.forEach((way, index) => {
    for (let i = ways.firstLink[way]; i < ways.firstLink[way + 1]; i++) {
      const known = over.get(ways.link[i]);
      if (known === undefined) over.set(ways.link[i], [index]);
      else known.push(index);
    }
  });
  return [...over].filter(([, all]) => all.length > 1);
}

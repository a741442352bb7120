/** A machine as schedules in rounds see it: what a round costs before its first byte, and what each byte on a way takes after that. */
import type { Routes } from '../../ir/routes.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Seconds } from '../../ir/units.ts';
import { type Ways, waysOf } from '../list/ways.ts';

/** Links that several ways share: their bytes add up. */
export interface SharedLink {
  readonly ways: readonly number[];
  /** Seconds per byte. */
  readonly perByte: number;
}

export interface RoundsNetwork {
  readonly ranks: number;
  /** Ranks at both ends of each way. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Seconds per byte on each way. */
  readonly perByte: Float64Array;
  /** What a round costs before its first byte: the greatest Σα of a way. */
  readonly latency: Seconds;
  /** By way: how much sooner than that its bytes begin to flow. */
  readonly headStart: Float64Array;
  readonly shared: readonly SharedLink[];
  /** By rank: seconds per byte that is reduced there; 0 where that is free. */
  readonly reducePerByte: Float64Array;
}

/**
 * The network of a machine with the ways of at most so much latency.
 *
 * @param latency ways that take longer are left out; Infinity for all
 * @param turned the machine with its links turned round
 * @returns undefined where messages exclude each other in ways that rounds do not show: chips with fewer ports than ways, or
 * ways that share a link which is held for the whole time of a message
 */
export function roundsNetwork(routes: Routes, latency: Seconds, turned: boolean): RoundsNetwork | undefined {
  const ways = waysOf(routes, turned);
  const { topology, ranks } = ways;
  const kept = [...ways.from.keys()].filter((way) => ways.latency[way] <= latency);
  if (!hasPorts(ways, kept)) return undefined;
  const shared = sharedLinks(ways, kept);
  if (shared.some(({ link }) => topology.links[link].occupancy === 'blocking')) return undefined;
  const greatest = kept.reduce((most, way) => Math.max(most, ways.latency[way]), 0);
  return {
    ranks,
    from: Int32Array.from(kept, (way) => ways.from[way]),
    to: Int32Array.from(kept, (way) => ways.to[way]),
    perByte: Float64Array.from(kept, (way) => 1 / ways.bandwidth[way]),
    latency: greatest,
    headStart: Float64Array.from(kept, (way) => greatest - ways.latency[way]),
    shared: shared.map(({ link, ways: over }) => ({ ways: over, perByte: 1 / topology.links[link].bandwidth })),
    reducePerByte: Float64Array.from(
      topology.chips,
      (node) => 1 / (topology.nodes[node].reduce?.throughput ?? Infinity),
    ),
  };
}

/** The different latencies of a machine's ways, the least first. */
export function waysLatencies(routes: Routes): readonly Seconds[] {
  return [...new Set(waysOf(routes, false).latency)].sort((a, b) => a - b);
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

function sharedLinks(
  ways: Ways,
  kept: readonly number[],
): { readonly link: number; readonly ways: readonly number[] }[] {
  const over = new Map<number, number[]>();
  kept.forEach((way, index) => {
    for (let i = ways.firstLink[way]; i < ways.firstLink[way + 1]; i++) {
      const known = over.get(ways.link[i]);
      if (known === undefined) over.set(ways.link[i], [index]);
      else known.push(index);
    }
  });
  return [...over].filter(([, all]) => all.length > 1).map(([link, all]) => ({ link, ways: all }));
}

/** Whether reductions keep chips from sending: then ranks have to keep in step for rounds to be what they are. */
export function reducesOutOfStep({ nodes }: Topology): boolean {
  return nodes.some(({ reduce }) => reduce?.overlap === false);
}

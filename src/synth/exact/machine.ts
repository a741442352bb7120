/**
 * A machine of unit links, as in k-synchronous schedules (Cai et al., "Synthesizing Optimal Collective Algorithms",
 * PPoPP 2021): in a step of r rounds a link of u units carries u · r chunks. Chips forward what they have; a message
 * takes one route, which is a link between two chips or a route over switches that shares links with other routes.
 * Latencies, ports and engines are ignored.
 */
import type { Routes } from '../../ir/routes.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Arc } from '../arcs.ts';
import { distancesFrom } from '../distances.ts';
import { routeTableOf } from '../list/route-table.ts';

/** A route between two ranks, and the links whose capacity it uses. */
export type UnitRoute = Pick<Arc, 'from' | 'to' | 'links'>;

export interface UnitMachine {
  readonly ranks: number;
  readonly routes: readonly UnitRoute[];
  /** `units[link]`: chunks that it carries per round. */
  readonly units: readonly number[];
  /** Whether no two routes share a link. */
  readonly areInterchangeable: boolean;
  /** `distance[a][b]`: number of routes on the shortest path, Infinity if unreachable. */
  readonly distance: readonly Float64Array[];
}

/**
 * The unit links of a machine.
 * @param reversed of the transposed machine
 */
export function unitMachineOf(routes: Routes, reversed: boolean): UnitMachine {
  const { ranks, arcs: ways } = routeTableOf(routes, reversed);
  const units = routes.topology.links.map((link) => link.units);
  const all = ways.flatMap(({ links }) => links);
  const outgoing: number[][] = Array.from({ length: ranks }, () => []);
  for (const { from, to } of ways) outgoing[from].push(to);
  return {
    ranks,
    routes: ways,
    units,
    areInterchangeable: new Set(all).size === all.length,
    distance: outgoing.map((_, rank) => distancesFrom(rank, ranks, (at) => outgoing[at])),
  };
}

/** Chunks that a route carries per round if no other route uses its links. */
export function unitsOf({ links }: UnitRoute, units: readonly number[]): number {
  return Math.min(...links.map((link) => units[link]));
}

/**
 * The machine with bandwidths of one chunk per unit and round and no latencies: bounds in seconds then count rounds.
 */
export function inRounds(topology: Topology): Topology {
  const ports = { send: Number.POSITIVE_INFINITY, receive: Number.POSITIVE_INFINITY };
  return {
    ...topology,
    launch: undefined,
    lane: undefined,
    nodes: topology.nodes.map((node) => ({ ...node, ports, reduce: undefined, copy: undefined })),
    links: topology.links.map((link) => ({ ...link, latency: 0, bandwidth: link.units, occupancy: 'pipelined' })),
  };
}

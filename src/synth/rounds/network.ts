/** A machine as rounds model it: the cost of a round before its first byte, and the cost per byte on each arc. */
import type { Routes } from '../../ir/routes.ts';
import type { Seconds } from '../../ir/units.ts';
import type { Arc } from '../arcs.ts';
import { routeTableOf } from '../list/route-table.ts';

/** The time that a byte occupies a resource. */
export interface UnitLoad {
  readonly resource: number;
  /** Seconds. */
  readonly perByte: number;
}

/** Resources are numbered: links, then ranks (as reducers). */
export interface RoundsNetwork {
  readonly ranks: number;
  /** The arcs of the one-hop graph. */
  readonly arcs: readonly Arc[];
  /** Whether some of them share links. */
  readonly sharesLinks: boolean;
  /** The ranks at both ends of each arc. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Cost of a round before its first byte: the greatest Σα of an arc. */
  readonly latency: Seconds;
  /** By resource: how much earlier than that bytes can flow, on any of its arcs. */
  readonly headStart: Float64Array;
  /** By arc: what a byte occupies if it is copied, or reduced. */
  readonly copying: readonly (readonly UnitLoad[])[];
  readonly reducing: readonly (readonly UnitLoad[])[];
}

/**
 * @param turned uses the transposed machine: the schedule is reversed in the end, and what moves here is then reduced
 * at its start
 * @returns undefined if messages exclude each other in ways that rounds do not model: chips with fewer ports than arcs,
 * or arcs that share a link which a message occupies for its whole duration
 */
export function roundsNetwork(routes: Routes, turned: boolean): RoundsNetwork | undefined {
  const { topology, ranks, arcs, sendPorts, receivePorts } = routeTableOf(routes, turned);
  const { nodes, links, chips } = topology;
  const over = new Map<number, Arc[]>();
  for (const arc of arcs) for (const link of arc.links) over.set(link, [...(over.get(link) ?? []), arc]);
  const excludes = [...over].some(([link, sharing]) => sharing.length > 1 && links[link].occupancy === 'blocking');
  const hasPorts = chips.every((_, rank) => {
    const [sent, received] = [arcs.filter(({ from }) => from === rank), arcs.filter(({ to }) => to === rank)];
    return sent.length <= sendPorts[rank] && received.length <= receivePorts[rank];
  });
  if (excludes || !hasPorts) return undefined;
  const used = [...over.keys()];
  const resourceOf = new Map(used.map((link, resource) => [link, resource]));
  const latency = arcs.reduce((most, arc) => Math.max(most, arc.latency), 0);
  const headStarts = used.map((link) => Math.min(...(over.get(link) ?? []).map((arc) => latency - arc.latency)));
  const copying = arcs.map(({ links: { length }, resources, secondsPerByte }) =>
    resources.slice(0, length).map((link, at) => ({
      resource: resourceOf.get(link) ?? 0,
      perByte: secondsPerByte[at],
    })),
  );
  const reducing = arcs.map(({ from, to }, way) => {
    const rank = turned ? from : to;
    const throughput = nodes[chips[rank]].reduce?.throughput ?? Number.POSITIVE_INFINITY;
    return [...copying[way], { resource: used.length + rank, perByte: 1 / throughput }];
  });
  return {
    ranks,
    arcs,
    sharesLinks: [...over.values()].some((sharing) => sharing.length > 1),
    from: Int32Array.from(arcs, ({ from }) => from),
    to: Int32Array.from(arcs, ({ to }) => to),
    latency,
    headStart: Float64Array.from([...headStarts, ...chips.map(() => 0)]),
    copying,
    reducing,
  };
}

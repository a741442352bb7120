/** A machine as schedules in rounds see it: what a round costs before its first byte, and what each byte on a way takes after that. */
import type { Routes } from '../../ir/routes.ts';
import type { Seconds } from '../../ir/units.ts';
import type { Arc } from '../arcs.ts';
import { routeTableOf } from '../list/route-table.ts';

/** What a byte takes of something. */
export interface UnitLoad {
  readonly resource: number;
  /** Seconds. */
  readonly perByte: number;
}

/** Resources are numbered: links, then the ranks, which reduce. */
export interface RoundsNetwork {
  readonly ranks: number;
  /** Ways. */
  readonly arcs: readonly Arc[];
  /** Some of them are over the same links. */
  readonly sharesLinks: boolean;
  /** Ranks at both ends of each way. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** What a round costs before its first byte: the greatest Σα of a way. */
  readonly latency: Seconds;
  /** By resource: how much sooner than that bytes begin to flow, on any of its ways. */
  readonly headStart: Float64Array;
  /** By way: what a byte takes that is copied, or reduced. */
  readonly copying: readonly (readonly UnitLoad[])[];
  readonly reducing: readonly (readonly UnitLoad[])[];
}

/**
 * @param turned the machine with its links turned round: what moves there is turned round, too, in the end, and reduced where it starts
 * @returns undefined where messages exclude each other in ways that rounds do not show: chips with fewer ports than ways, or
 * ways that share a link which is held for the whole time of a message
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

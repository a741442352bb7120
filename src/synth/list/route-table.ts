/**
 * Ways from chip to chip without another chip in between: a direct link, or a route through switches. Whatever a schedule
 * moves, it moves over ways; a message holds the links and ports of its way as the cost model says.
 */
import { NearestFirst } from '../../graph/nearest-first.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Topology } from '../../ir/topology.ts';
import { type Arc, type ArcNetwork, arcNetwork } from '../arcs.ts';

/** Ways in columns, by source and then destination. */
export interface RouteTable extends ArcNetwork {
  readonly topology: Topology;
  /** Ranks at the two ends. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Σα in seconds. */
  readonly latency: Float64Array;
  /** Least β on the way, bytes per second. */
  readonly bandwidth: Float64Array;
  /** Messages that each of the resources of arcs has room for. */
  readonly capacity: Float64Array;
  /** Sends and receives that each rank may have under way at once. */
  readonly sendPorts: Float64Array;
  readonly receivePorts: Float64Array;
  /** Ways out of rank r are `firstOut[r] … firstOut[r + 1] − 1`; into it, `into[firstInto[r] … firstInto[r + 1] − 1]`. */
  readonly firstOut: Int32Array;
  readonly firstInto: Int32Array;
  readonly into: Int32Array;
}

/**
 * The ways of a machine.
 *
 * @param reversed the ways of the machine with its links turned round: the same routes, travelled backwards
 * @param mostChannels of several equal ways through switches as many
 */
export function routeTableOf(routes: Routes, reversed: boolean, mostChannels = 1): RouteTable {
  const { topology } = routes;
  const ranks = topology.chips.length;
  const ports = topology.chips.map((node) => topology.nodes[node].ports);
  const { arcs, resources } = arcNetwork(routes, mostChannels);
  const found = reversed ? arcs.map(turned).sort((a, b) => a.from - b.from || a.to - b.to) : arcs;
  const capacity = new Float64Array(resources).fill(1);
  for (const [rank, { send, receive }] of ports.entries()) {
    capacity[topology.links.length + rank] = send;
    capacity[topology.links.length + ranks + rank] = receive;
  }
  const firstOut = firstOfEach(ranks, found, ({ from }) => from);
  const to = Int32Array.from(found, (way) => way.to);
  return {
    topology,
    ranks,
    from: Int32Array.from(found, ({ from }) => from),
    to,
    latency: Float64Array.from(found, ({ latency }) => latency),
    bandwidth: Float64Array.from(found, ({ bandwidth }) => bandwidth),
    arcs: found,
    outgoing: Array.from({ length: ranks }, (_, rank) =>
      Array.from({ length: firstOut[rank + 1] - firstOut[rank] }, (__, at) => firstOut[rank] + at),
    ),
    resources,
    capacity,
    sendPorts: Float64Array.from(ports, ({ send, receive }) => (reversed ? receive : send)),
    receivePorts: Float64Array.from(ports, ({ send, receive }) => (reversed ? send : receive)),
    firstOut,
    firstInto: firstOfEach(ranks, found, (way) => way.to),
    into: Int32Array.from(found.keys()).sort((a, b) => to[a] - to[b] || a - b),
  };
}

/** The least latency from a rank to every rank; Infinity for those out of reach. */
export function latenciesFrom({ ranks, arcs, outgoing }: ArcNetwork, from: number): Float64Array {
  const search = new NearestFirst(ranks);
  search.reach(from, 0);
  for (let rank = search.next(); rank >= 0; rank = search.next()) {
    for (const arc of outgoing[rank]) search.reach(arcs[arc].to, search.length[rank] + arcs[arc].latency);
  }
  return search.length;
}

/** What it holds is the same: a port that sends receives then, and has the same number. */
function turned(arc: Arc): Arc {
  return { ...arc, from: arc.to, to: arc.from, links: arc.links.toReversed() };
}

/** Where each rank's ways start when they are sorted by that rank; one entry more than there are ranks. */
function firstOfEach(ranks: number, ways: readonly Arc[], rankOf: (way: Arc) => number): Int32Array {
  const first = new Int32Array(ranks + 1);
  for (const way of ways) first[rankOf(way) + 1]++;
  for (let rank = 0; rank < ranks; rank++) first[rank + 1] += first[rank];
  return first;
}

/**
 * The arcs of a machine in columns (structure of arrays). An arc joins two ranks that exchange a message without passing a third one, over
 * a link or through switches; a message occupies the links and ports of its arc as the model of time says.
 */
import { NearestFirst } from '../../graph/nearest-first.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Topology } from '../../ir/topology.ts';
import { type Arc, type ArcNetwork, arcNetwork } from '../arcs.ts';

/** Arcs in columns, sorted by source, then destination. */
export interface RouteTable extends ArcNetwork {
  readonly topology: Topology;
  /** Ranks at the two ends. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Σα in seconds. */
  readonly latency: Float64Array;
  /** Minimum β of the arc's links, in bytes per second. */
  readonly bandwidth: Float64Array;
  /** By resource (links, then send ports, then receive ports): how many messages may occupy it at once. */
  readonly capacity: Float64Array;
  /** By rank: how many sends and receives may be in progress at once. */
  readonly sendPorts: Float64Array;
  readonly receivePorts: Float64Array;
  /** Arcs out of rank r are `firstOut[r] … firstOut[r + 1] − 1`; arcs into it are `into[firstInto[r]] … into[firstInto[r + 1] − 1]`. */
  readonly firstOut: Int32Array;
  readonly firstInto: Int32Array;
  readonly into: Int32Array;
}

/**
 * Builds the table of a machine.
 * @param reversed builds the arcs of the transposed machine: the same routes, travelled backwards
 * @param mostChannels maximum number of equivalent routes through switches that become arcs between the same two ranks
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

/** Minimum latency (Σα over arcs, in seconds) from a rank to every rank; Infinity for ranks out of reach. */
export function latenciesFrom({ ranks, arcs, outgoing }: ArcNetwork, from: number): Float64Array {
  const search = new NearestFirst(ranks);
  search.reach(from, 0);
  for (let rank = search.next(); rank >= 0; rank = search.next()) {
    for (const arc of outgoing[rank]) search.reach(arcs[arc].to, search.length[rank] + arcs[arc].latency);
  }
  return search.length;
}

/** The same arc travelled backwards. Its resources keep their numbers: a port that sends on the machine receives on the transposed one. */
function turned(arc: Arc): Arc {
  return { ...arc, from: arc.to, to: arc.from, links: arc.links.toReversed() };
}

/** By rank: the index of its first arc in a list sorted by that rank, and one final entry with the number of arcs. */
function firstOfEach(ranks: number, ways: readonly Arc[], rankOf: (way: Arc) => number): Int32Array {
  const first = new Int32Array(ranks + 1);
  for (const way of ways) first[rankOf(way) + 1]++;
  for (let rank = 0; rank < ranks; rank++) first[rank + 1] += first[rank];
  return first;
}

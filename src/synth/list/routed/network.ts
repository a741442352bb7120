/**
 * The machine as store-and-forward routing sees it: an arc is a message from one rank to another that passes no third one,
 * and keeps links and ports busy while it lasts (docs/architecture.md, the model of time).
 */
import type { Routes } from '../../../ir/routes.ts';
import type { Topology } from '../../../ir/topology.ts';
import type { Seconds } from '../../../ir/units.ts';

/** A hop from rank to rank. */
export interface Arc {
  /** Ranks. */
  readonly from: number;
  readonly to: number;
  /** Selects one of several equal ways through switches. */
  readonly channel: number;
  /** Σα of its route. */
  readonly latency: Seconds;
  /** What it keeps busy (links, then ports of chips that limit them), and for how long per byte. */
  readonly resources: readonly number[];
  readonly secondsPerByte: readonly number[];
  /** Which of them it keeps busy for its latency as well: blocking links and ports do. */
  readonly held: readonly boolean[];
}

export interface ArcNetwork {
  readonly ranks: number;
  readonly arcs: readonly Arc[];
  /** Arcs that leave each rank. */
  readonly outgoing: readonly (readonly number[])[];
  /** Resources are numbered below this. */
  readonly resources: number;
}

/** Ways through switches that are told apart between two ranks: more would make searches longer and hardly better. */
const mostChannels = 4;

/** Pairs of ranks that exchange messages directly: with more of them searches would take minutes. */
const mostPairs = 25_000;

/** All arcs of a machine; undefined where there are too many to search paths among them. */
export function arcNetwork(routes: Routes): ArcNetwork | undefined {
  const { topology } = routes;
  const ranks = topology.chips.length;
  const neighbours = neighboursOf(topology);
  const arcs: Arc[] = [];
  const outgoing: number[][] = [];
  let pairs = 0;
  for (let from = 0; from < ranks; from++) {
    outgoing.push([]);
    const reached = neighbours(from);
    pairs += reached.length;
    if (pairs > mostPairs) return undefined;
    for (const to of reached) {
      const channels = Math.min(mostChannels, routes.choices(from, to));
      for (let channel = 0; channel < channels; channel++) {
        const arc = arcBetween(routes, from, to, channel);
        if (arc === undefined) continue;
        outgoing[from].push(arcs.length);
        arcs.push(arc);
      }
    }
  }
  return { ranks, arcs, outgoing, resources: topology.links.length + 2 * ranks };
}

/** Finds the ranks that a rank reaches without passing another, in ascending order. */
function neighboursOf({ nodes, links, chips }: Topology): (rank: number) => number[] {
  const rankOf = new Map(chips.map((node, rank) => [node, rank]));
  const next: number[][] = nodes.map(() => []);
  for (const { from, to } of links) next[from].push(to);
  return (rank) => {
    const seen = new Set([chips[rank]]);
    const open = [chips[rank]];
    const found: number[] = [];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const to of next[node]) {
        if (seen.has(to)) continue;
        seen.add(to);
        const reached = rankOf.get(to);
        if (reached === undefined) open.push(to);
        else found.push(reached);
      }
    }
    return found.sort((a, b) => a - b);
  };
}

/** The arc that a message takes, unless its route passes a third rank because that is faster. */
function arcBetween(routes: Routes, from: number, to: number, channel: number): Arc | undefined {
  const { topology } = routes;
  const { nodes, links, chips } = topology;
  const route = routes.hop(from, to, channel);
  if (route === undefined) return undefined;
  const slowest = 1 / route.bandwidth;
  const resources = [...route.links];
  const secondsPerByte = route.links.map((link) =>
    links[link].occupancy === 'blocking' ? slowest : 1 / links[link].bandwidth,
  );
  const held = route.links.map((link) => links[link].occupancy === 'blocking');
  const { send } = nodes[chips[from]].ports;
  const { receive } = nodes[chips[to]].ports;
  if (Number.isFinite(send)) {
    resources.push(links.length + from);
    secondsPerByte.push(slowest / send);
    held.push(true);
  }
  if (Number.isFinite(receive)) {
    resources.push(links.length + chips.length + to);
    secondsPerByte.push(slowest / receive);
    held.push(true);
  }
  return { from, to, channel, latency: route.latency, resources, secondsPerByte, held };
}

/**
 * The machine as messages see it that are passed on by chips: an arc is a message from one rank to another that passes no third one, over a link
 * or over switches, and keeps links and ports busy while it lasts (docs/architecture.md, the model of time).
 */
import type { Route, Routes } from '../ir/routes.ts';
import type { Topology } from '../ir/topology.ts';
import type { BytesPerSecond, Seconds } from '../ir/units.ts';

/** A hop from rank to rank. */
export interface Arc {
  /** Ranks. */
  readonly from: number;
  readonly to: number;
  /** Selects one of several equal ways through switches. */
  readonly channel: number;
  /** Link indices of its route in travelling order, their Σα and least β. */
  readonly links: readonly number[];
  readonly latency: Seconds;
  readonly bandwidth: BytesPerSecond;
  /** What it keeps busy (links, then ports of chips that limit them), and for how long per byte. */
  readonly resources: readonly number[];
  readonly secondsPerByte: readonly number[];
  /** Which of them it keeps busy for its latency as well: blocking links and ports do. */
  readonly held: readonly boolean[];
}

export interface ArcNetwork {
  readonly ranks: number;
  /** By source, then destination. */
  readonly arcs: readonly Arc[];
  /** Arcs that leave each rank. */
  readonly outgoing: readonly (readonly number[])[];
  /** Resources are numbered below this. */
  readonly resources: number;
}

/** All arcs of a machine, of several equal ways through switches as many as `mostChannels`. */
export function arcNetwork(routes: Routes, mostChannels = 1): ArcNetwork {
  const { topology } = routes;
  const ranks = topology.chips.length;
  const neighbours = neighboursOf(topology);
  const arcs: Arc[] = [];
  const outgoing = Array.from({ length: ranks }, (_, from) => {
    const leaving: number[] = [];
    for (const to of neighbours(from)) {
      const channels = mostChannels === 1 ? 1 : Math.min(mostChannels, routes.choices(from, to));
      for (let channel = 0; channel < channels; channel++) {
        const route = routes.hop(from, to, channel);
        if (route !== undefined) leaving.push(arcs.push(arcOver(route, { from, to, channel }, topology)) - 1);
      }
    }
    return leaving;
  });
  return { ranks, arcs, outgoing, resources: topology.links.length + 2 * ranks };
}

/** Those over a single link. */
export function directArcs(routes: Routes): readonly Arc[] {
  return arcNetwork(routes).arcs.filter(({ links }) => links.length === 1);
}

/** What a message of a channel keeps busy between two ranks, over whatever is between them; undefined where no way leads. */
export function arcBetween(routes: Routes, from: number, to: number, channel: number): Arc | undefined {
  const route = routes.between(from, to, channel);
  return route === undefined ? undefined : arcOver(route, { from, to, channel }, routes.topology);
}

/** Whether more pairs of chips than `most` reach each other past no third one; told without looking for their routes. */
export function joinsMorePairs(topology: Topology, most: number): boolean {
  const neighbours = neighboursOf(topology);
  let pairs = 0;
  for (let rank = 0; rank < topology.chips.length && pairs <= most; rank++) pairs += neighbours(rank).length;
  return pairs > most;
}

/** Finds the ranks that a rank reaches without passing another, over switches, hosts and chips outside the group alone, in ascending order. */
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

function arcOver(route: Route, ends: Pick<Arc, 'from' | 'to' | 'channel'>, { nodes, links, chips }: Topology): Arc {
  const slowest = 1 / route.bandwidth;
  const resources = [...route.links];
  const held = resources.map((link) => links[link].occupancy === 'blocking');
  const secondsPerByte = resources.map((link, at) => (held[at] ? slowest : 1 / links[link].bandwidth));
  const ports = [
    [links.length + ends.from, nodes[chips[ends.from]].ports.send],
    [links.length + chips.length + ends.to, nodes[chips[ends.to]].ports.receive],
  ];
  for (const [port, count] of ports.filter(([, number]) => Number.isFinite(number))) {
    resources.push(port);
    secondsPerByte.push(slowest / count);
    held.push(true);
  }
  return { ...route, ...ends, resources, secondsPerByte, held };
}

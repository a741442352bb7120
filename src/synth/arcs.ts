/**
 * The one-hop communication graph. An arc joins two ranks that can exchange a message without passing through a third
 * rank, over a link or through switches; it lists the links and ports that the message occupies (docs/architecture.md,
 * The model of time).
 */
import type { Route, Routes } from '../ir/routes.ts';
import type { Topology } from '../ir/topology.ts';
import type { BytesPerSecond, Seconds } from '../ir/units.ts';

/** One hop between two ranks. */
export interface Arc {
  /** Ranks. */
  readonly from: number;
  readonly to: number;
  /** Selects one of several equivalent routes through switches. */
  readonly channel: number;
  /** Link indices of its route in order of travel, their Σα and minimum β. */
  readonly links: readonly number[];
  readonly latency: Seconds;
  readonly bandwidth: BytesPerSecond;
  /**
   * The resources that a message occupies (links, then ports of chips that have a limited number), and the seconds per
   * byte.
   */
  readonly resources: readonly number[];
  readonly secondsPerByte: readonly number[];
  /** By resource: whether it is occupied for the latency as well, as blocking links and ports are. */
  readonly held: readonly boolean[];
}

export interface ArcNetwork {
  readonly ranks: number;
  /** Ordered by source, then destination. */
  readonly arcs: readonly Arc[];
  /** Indices of the arcs that leave each rank. */
  readonly outgoing: readonly (readonly number[])[];
  /** Number of resources. */
  readonly resources: number;
}

/** Builds all arcs of a machine, with at most `mostChannels` of several equivalent routes through switches. */
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

/** The arcs that consist of a single link. */
export function directArcs(routes: Routes): readonly Arc[] {
  return arcNetwork(routes).arcs.filter(({ links }) => links.length === 1);
}

/** The arc of one channel between two ranks, whatever lies between them; undefined if there is no route. */
export function arcBetween(routes: Routes, from: number, to: number, channel: number): Arc | undefined {
  const route = routes.between(from, to, channel);
  return route === undefined ? undefined : arcOver(route, { from, to, channel }, routes.topology);
}

/**
 * Whether more than `most` pairs of chips can communicate without passing a third; decided without computing routes.
 */
export function joinsMorePairs(topology: Topology, most: number): boolean {
  const neighbours = neighboursOf(topology);
  let pairs = 0;
  for (let rank = 0; rank < topology.chips.length && pairs <= most; rank++) pairs += neighbours(rank).length;
  return pairs > most;
}

/**
 * Finds the ranks that a rank reaches without passing another rank, over switches, hosts and chips outside the group
 * only, in ascending order.
 */
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

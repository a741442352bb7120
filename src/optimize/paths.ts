/** Chooses the chips over which messages are forwarded so that links are loaded evenly. */
import type { Routes } from '../ir/routes.ts';
import { bettering } from './limits.ts';
import { greatest, type PairDemand, type ResourceLoads } from './loads.ts';

/** A route between two chips that passes no third one. */
interface Hop {
  readonly to: number;
  readonly links: readonly number[];
}

export interface Paths {
  /** The intermediate ranks between two ranks, in order. */
  via(source: number, destination: number, channel: number): readonly number[];
  /** Load of the busiest link in seconds per byte of the message, including the load it had before these demands were routed. */
  readonly load: number;
}

/**
 * Routes the demands greedily, the largest first, along paths of least load: the cost of a link is its load, plus a
 * little for the message alone, so that short paths win where nothing is loaded.
 * @param before initial loads of links
 * @returns undefined if that would take too long
 */
export function rebalancedPaths(
  demands: readonly PairDemand[],
  before: ResourceLoads,
  routes: Routes,
): Paths | undefined {
  const hops = hopsOf(routes);
  const edges = hops.reduce((sum, from) => sum + from.length, 0);
  if (edges * demands.length > bettering.pathsWork) return undefined;
  const { links } = routes.topology;
  const loads = before.slice();
  const found = new Map<string, readonly number[]>();
  for (const { source, destination, channel, share } of [...demands].sort((a, b) => b.share - a.share)) {
    const busy = (link: number): number => loads[link] + share / links[link].bandwidth;
    const way = leastLoadedPath(hops, source, destination, busy);
    if (way === undefined) return undefined;
    found.set(`${source} ${destination} ${channel}`, way.slice(0, -1));
    let at = source;
    for (const next of way) {
      for (const link of linksBetween(hops, at, next)) loads[link] = busy(link);
      at = next;
    }
  }
  return {
    via: (source, destination, channel) => found.get(`${source} ${destination} ${channel}`) ?? [],
    load: greatest(loads.subarray(0, links.length)),
  };
}

function hopsOf(routes: Routes): readonly (readonly Hop[])[] {
  const { chips } = routes.topology;
  return chips.map((_, from) =>
    chips.flatMap((__, to): readonly Hop[] => {
      const route = from === to ? undefined : routes.hop(from, to);
      return route === undefined ? [] : [{ to, links: route.links }];
    }),
  );
}

function linksBetween(hops: readonly (readonly Hop[])[], from: number, to: number): readonly number[] {
  return hops[from].find((hop) => hop.to === to)?.links ?? [];
}

/**
 * The ranks after `source` on the path to `destination` (Dijkstra 1959); undefined if there is none.
 * @param busy load of a link if it carries the message as well, in seconds per byte of all data
 */
function leastLoadedPath(
  hops: readonly (readonly Hop[])[],
  source: number,
  destination: number,
  busy: (link: number) => number,
): readonly number[] | undefined {
  const cost = new Float64Array(hops.length).fill(Number.POSITIVE_INFINITY);
  const previous = new Int32Array(hops.length).fill(-1);
  const done = new Uint8Array(hops.length);
  cost[source] = 0;
  for (;;) {
    let at = -1;
    for (let rank = 0; rank < hops.length; rank++) {
      if (done[rank] === 0 && cost[rank] < (at < 0 ? Number.POSITIVE_INFINITY : cost[at])) at = rank;
    }
    if (at < 0) return undefined;
    if (at === destination) break;
    done[at] = 1;
    for (const { to, links } of hops[at]) {
      let sum = cost[at];
      for (const link of links) sum += busy(link);
      if (sum < cost[to] * (1 - 1e-12)) {
        cost[to] = sum;
        previous[to] = at;
      }
    }
  }
  const way: number[] = [];
  for (let at = destination; at !== source; at = previous[at]) way.unshift(at);
  return way;
}

/** Over which chips messages may be sent so that links are used evenly. */
import type { Routes } from '../ir/routes.ts';
import { bettering } from './limits.ts';
import { greatest, type PairDemand, type ResourceLoads } from './loads.ts';

/** A way from one chip to another that meets no third one. */
interface Hop {
  readonly to: number;
  readonly links: readonly number[];
}

export interface Paths {
  /** The ranks between two ranks, in the order in which a message meets them. */
  via(source: number, destination: number, channel: number): readonly number[];
  /** What the busiest link takes, in seconds per byte of the message, with what it had to do before. */
  readonly load: number;
}

/**
 * Sends each demand in turn, the greatest first, over the hops that have least to do: every link counts with its load, and a little with
 * what one message alone takes on it, so that short ways win where nothing is busy.
 *
 * @param before what links have to do already
 * @returns undefined where that would take too long
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
 * The ranks after `source` on the way to `destination` (Dijkstra 1959, over few chips); undefined where there is none.
 * @param busy what a link takes if it carries the message as well, in seconds per byte of all data
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

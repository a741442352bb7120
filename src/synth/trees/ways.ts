/**
 * Which switches messages pass. Where several routes between two ranks are equally good, the channel of a message says which
 * one it takes (src/ir/routes.ts); it is chosen so that every switch gets the trees whose capacity came from it.
 */
import type { Route, Routes } from '../../ir/routes.ts';
import type { SharedTrees } from './packing.ts';
import type { PathFlow } from './path-flows.ts';
import type { Load } from './timing.ts';

/** The routes that channels choose among, between ranks of the machine that trees were packed for. */
export interface Ways {
  /** How many there are between two ranks, at least 1. */
  choices(from: number, to: number): number;
  /** The nodes between both ends on the route of a channel. */
  stations(from: number, to: number, channel: number): readonly number[];
  /** Seconds per byte for which a message keeps the links of its route and the ports at its ends busy. */
  loads(from: number, to: number, channel: number): readonly Load[];
}

/** @param reversed the trees were packed for the transposed machine, so that messages go the other way */
export function waysOf(routes: Routes, reversed: boolean): Ways {
  const { links, nodes, chips } = routes.topology;
  const routeOf = (from: number, to: number, channel: number): Route | undefined =>
    reversed ? routes.between(to, from, channel) : routes.between(from, to, channel);
  return {
    choices: (from, to) => (reversed ? routes.choices(to, from) : routes.choices(from, to)),
    stations: (from, to, channel) => {
      const stations = (routeOf(from, to, channel)?.links ?? []).slice(0, -1).map((link) => links[link].to);
      return reversed ? stations.reverse() : stations;
    },
    loads: (from, to, channel) => {
      const route = routeOf(from, to, channel);
      if (route === undefined) return [];
      const onLinks = route.links.map((resource) => {
        const { occupancy, bandwidth } = links[resource];
        return { resource, time: 1 / (occupancy === 'blocking' ? route.bandwidth : bandwidth) };
      });
      const [sender, receiver] = reversed ? [to, from] : [from, to];
      const { send } = nodes[chips[sender]].ports;
      const { receive } = nodes[chips[receiver]].ports;
      const onPorts = [
        { resource: links.length + sender, time: 1 / (route.bandwidth * send) },
        { resource: links.length + chips.length + receiver, time: 1 / (route.bandwidth * receive) },
      ];
      return [...onLinks, ...onPorts.filter(({ time }) => time > 0)];
    },
  };
}

/** Shares out the flows of connections among the trees that use them. */
export class WayChoice {
  private readonly packing: SharedTrees;
  private readonly ways: Ways;
  private readonly known = new Map<string, { readonly way: number; left: number }[]>();

  constructor(packing: SharedTrees, ways: Ways) {
    this.packing = packing;
    this.ways = ways;
  }

  /** The way for the next so many trees between two ranks: the one of which most is left. */
  next(from: number, to: number, amount: number): number {
    if (this.ways.choices(from, to) === 1) return 0;
    const connection = `${from} ${to}`;
    const shares = this.known.get(connection) ?? this.sharesOf(from, to);
    this.known.set(connection, shares);
    const widest = shares.reduce((best, share) => (share.left > best.left ? share : best));
    widest.left -= amount;
    return widest.way;
  }

  /** What each way can carry; nothing where no flow takes it. */
  private sharesOf(from: number, to: number): { readonly way: number; left: number }[] {
    const flows = this.packing.switchesOf(from, to);
    return Array.from({ length: this.ways.choices(from, to) }, (_, way) => {
      const stations = this.ways.stations(from, to, way);
      const own = flows.filter(({ through }) => isSameWay(through, stations));
      return { way, left: own.reduce((sum, flow: PathFlow) => sum + flow.amount, 0) };
    });
  }
}

function isSameWay(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((node, index) => node === b[index]);
}

/**
 * Ways from chip to chip without another chip in between: a direct link, or a route through switches. Whatever a schedule
 * moves, it moves over ways; a message holds the links and ports of its way as the cost model says.
 */
import type { Route, Routes } from '../../ir/routes.ts';
import type { Topology } from '../../ir/topology.ts';

/** Ways in columns, by source and then destination. */
export interface Ways {
  readonly topology: Topology;
  readonly ranks: number;
  /** Ranks at the two ends. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Σα in seconds. */
  readonly latency: Float64Array;
  /** Least β on the way, bytes per second. */
  readonly bandwidth: Float64Array;
  /** Link indices of way w in travelling order: `link[firstLink[w] … firstLink[w + 1] − 1]`. */
  readonly firstLink: Int32Array;
  readonly link: Int32Array;
  /** Sends and receives that each rank may have under way at once. */
  readonly sendPorts: Float64Array;
  readonly receivePorts: Float64Array;
  /** Ways out of rank r are `firstOut[r] … firstOut[r + 1] − 1`; into it, `into[firstInto[r] … firstInto[r + 1] − 1]`. */
  readonly firstOut: Int32Array;
  readonly firstInto: Int32Array;
  readonly into: Int32Array;
}

interface Way {
  readonly from: number;
  readonly to: number;
  readonly route: Route;
}

/**
 * The ways of a machine.
 *
 * @param reversed the ways of the machine with its links turned round: the same routes, travelled backwards
 */
export function waysOf(routes: Routes, reversed: boolean): Ways {
  const { topology } = routes;
  const ranks = topology.chips.length;
  const ports = topology.chips.map((node) => topology.nodes[node].ports);
  const found = findWays(routes).map((way) => (reversed ? turned(way) : way));
  found.sort((a, b) => a.from - b.from || a.to - b.to);
  const to = Int32Array.from(found, (way) => way.to);
  const firstLink = new Int32Array(found.length + 1);
  for (const [way, { route }] of found.entries()) firstLink[way + 1] = firstLink[way] + route.links.length;
  return {
    topology,
    ranks,
    from: Int32Array.from(found, ({ from }) => from),
    to,
    latency: Float64Array.from(found, ({ route }) => route.latency),
    bandwidth: Float64Array.from(found, ({ route }) => route.bandwidth),
    firstLink,
    link: Int32Array.from(found.flatMap(({ route }) => [...route.links])),
    sendPorts: Float64Array.from(ports, ({ send, receive }) => (reversed ? receive : send)),
    receivePorts: Float64Array.from(ports, ({ send, receive }) => (reversed ? send : receive)),
    firstOut: firstOfEach(ranks, found, ({ from }) => from),
    firstInto: firstOfEach(ranks, found, (way) => way.to),
    into: Int32Array.from(found.keys()).sort((a, b) => to[a] - to[b] || a - b),
  };
}

function turned({ from, to, route }: Way): Way {
  return { from: to, to: from, route: { ...route, links: route.links.toReversed() } };
}

/** Where each rank's ways start when they are sorted by that rank; one entry more than there are ranks. */
function firstOfEach(ranks: number, ways: readonly Way[], rankOf: (way: Way) => number): Int32Array {
  const first = new Int32Array(ranks + 1);
  for (const way of ways) first[rankOf(way) + 1]++;
  for (let rank = 0; rank < ranks; rank++) first[rank + 1] += first[rank];
  return first;
}

/** Whether more pairs of chips than `most` reach each other over switches alone; told without looking for their routes. */
export function joinsMorePairs({ nodes, links, chips }: Topology, most: number): boolean {
  const outgoing: number[][] = nodes.map(() => []);
  links.forEach(({ from }, index) => {
    outgoing[from].push(index);
  });
  let pairs = 0;
  for (let at = 0; at < chips.length && pairs <= most; at++) {
    pairs += ranksBehindOthers(chips[at], outgoing, { links, chips }).size;
  }
  return pairs > most;
}

/** Pairs of chips that reach each other over switches alone, and whose route is one of those. */
function findWays(routes: Routes): Way[] {
  const { nodes, links, chips } = routes.topology;
  const rankOf = new Map(chips.map((node, rank) => [node, rank]));
  const outgoing: number[][] = nodes.map(() => []);
  links.forEach(({ from }, index) => {
    outgoing[from].push(index);
  });
  const leastLatency = links.reduce((least, { latency }) => Math.min(least, latency), Number.POSITIVE_INFINITY);
  const ways: Way[] = [];
  for (const [from, chip] of chips.entries()) {
    const direct = new Map<number, number[]>();
    for (const index of outgoing[chip]) {
      const known = direct.get(links[index].to);
      if (known === undefined) direct.set(links[index].to, [index]);
      else known.push(index);
    }
    for (const node of ranksBehindOthers(chip, outgoing, routes.topology)) {
      const to = rankOf.get(node);
      if (to === undefined || to === from) continue;
      const [first, second] = direct.get(node) ?? [];
      // No route of two links or more is shorter, so that the shortest need not be looked for.
      const surely = first !== undefined && second === undefined && links[first].latency < 2 * leastLatency;
      const route = surely ? { links: [first], ...measures(routes.topology, first) } : routes.hop(from, to);
      if (route !== undefined) ways.push({ from, to, route });
    }
  }
  return ways;
}

function measures({ links }: Topology, link: number): { readonly latency: number; readonly bandwidth: number } {
  return { latency: links[link].latency, bandwidth: links[link].bandwidth };
}

/** Chips with a rank that a chip reaches without passing through another: only over switches, hosts and chips outside the group. */
function ranksBehindOthers(
  chip: number,
  outgoing: readonly (readonly number[])[],
  { links, chips }: Pick<Topology, 'links' | 'chips'>,
): Set<number> {
  const hasRank = new Set(chips);
  const seen = new Set<number>([chip]);
  const queue = [chip];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const index of outgoing[next]) {
      const { to } = links[index];
      if (seen.has(to)) continue;
      seen.add(to);
      if (!hasRank.has(to)) queue.push(to);
    }
  }
  return new Set([...seen].filter((node) => node !== chip && hasRank.has(node)));
}

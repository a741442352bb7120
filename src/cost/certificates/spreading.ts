/** The check of bounds on how soon all ranks can have heard of one (docs/bounds.md). */
import type { Collective } from '../../ir/collective.ts';
import type { Topology } from '../../ir/topology.ts';
import type { Bytes, Seconds } from '../../ir/units.ts';
import { slotsOf } from './combined.ts';
import { inputsNeededBy, valuesBetween } from './values.ts';
import { capacityOf, sumOf, waysFrom, waysTo } from './ways.ts';

export interface SpreadingWitness {
  readonly direction: 'out' | 'in';
  readonly hub: number;
  readonly families?: { readonly apart: Seconds; readonly unit: Seconds; readonly prices: readonly number[] };
}

/** What the hub knows gets to all (`out`), or what all know to the hub (`in`, backwards in time); then the last one has its bytes to take. */
export function provedBySpreading(
  { direction, hub, families }: SpreadingWitness,
  collective: Collective,
  topology: Topology,
  size: Bytes,
): Seconds | undefined {
  if (collective.kind === 'barrier' && topology.inflight !== undefined) return undefined;
  const bytes = leastBytes(collective, hub, direction, size);
  const most = mostAtOnce(topology, direction);
  if (bytes === undefined || most < 1 || !Number.isFinite(most)) return undefined;
  const ways = topology.chips.map((chip) => {
    const all = (direction === 'out' ? waysFrom : waysTo)(topology, [chip]);
    return topology.chips.map((other) => all[other]);
  });
  const inOrder = ways.map((way, rank) => way.filter((_, other) => other !== rank).sort((a, b) => a - b));
  const nearest = inOrder[0].map((_, p) => Math.min(...inOrder.map((way) => way[p])));
  const opposite = direction === 'out' ? 'in' : 'out';
  const capacities = topology.chips.map((chip) => capacityOf(topology, chip, opposite));
  const alike = nearest.map(() => nearest[0]);
  const proved = [timeToTell(alike, most) + bytes / Math.max(...capacities)];
  const slots = slotsOf(topology, opposite);
  if (slots.every((of) => of !== undefined && of.length > 0)) {
    const last = bytes / Math.max(...slots.map((of) => sumOf(of ?? [])));
    proved.push(timeToTell(nearest, most) + last);
    if (families !== undefined) proved.push(timeOfFamilies(families, ways, nearest[0], most) + last);
  }
  return Math.max(...proved);
}

/** The least that any other rank needs of the hub, or the hub of it; undefined if one of them needs nothing. */
function leastBytes(collective: Collective, hub: number, direction: 'out' | 'in', size: Bytes): Bytes | undefined {
  const everyone = Array.from({ length: collective.ranks }, (_, rank) => rank);
  const others = everyone.filter((rank) => rank !== hub);
  if (others.length !== collective.ranks - 1) return undefined;
  const pairs = others.map((other) => (direction === 'out' ? [hub, other] : [other, hub]));
  if (!pairs.every(([from, to]) => inputsNeededBy(collective, to).has(from))) return undefined;
  return Math.min(...pairs.map(([from, to]) => valuesBetween(collective, new Set([from]), [to]))) * size;
}

/** Messages that a chip can have under way at most. */
function mostAtOnce(topology: Topology, direction: 'out' | 'in'): number {
  const slots = topology.chips.map((chip) => {
    const { ports } = topology.nodes[chip];
    const links = topology.links.filter((link) => (direction === 'out' ? link.from : link.to) === chip);
    const byLinks = links.every((link) => link.occupancy === 'blocking') ? links.length : Number.POSITIVE_INFINITY;
    return Math.min(byLinks, direction === 'out' ? ports.send : ports.receive);
  });
  return Math.max(...slots);
}

/** When the N-th can know, if whoever knows tells p others in the time that p messages to the nearest take at least. */
function timeToTell(nearest: readonly Seconds[], slots: number): Seconds {
  const telling = nearest.map((last, index) => {
    const most = Math.ceil((index + 1) / slots);
    return Math.max(last, sumOf(nearest.slice(0, index + 1)) / slots, sumOf(nearest.slice(0, most)));
  });
  let known = [0];
  for (let next = 0; next < nearest.length; next++) {
    const told = telling.map((after) => known[next] + after);
    known = [...known, ...told].sort((a, b) => a - b).slice(0, nearest.length + 1);
  }
  return known[nearest.length];
}

/** As many steps as there are prices, if families of so many steps are still smaller than all; otherwise nothing. */
function timeOfFamilies(
  { apart, unit, prices }: NonNullable<SpreadingWitness['families']>,
  ways: readonly (readonly Seconds[])[],
  shortest: Seconds,
  slots: number,
): Seconds {
  if (!(unit > 0) || !(shortest > 0) || prices.length > 1000 || !prices.every((price) => price >= 0)) return 0;
  const reached = ways.map((_, rank) => classOf(rank, ways, apart));
  const size = Math.max(...reached.map((ranks) => ranks.size));
  const near = Math.floor((shortest / unit) * (1 + 1e-9));
  const far = Math.floor((apart / unit) * (1 + 1e-9));
  if (near < 1 || far < near) return 0;
  const largest: number[] = [];
  for (const [steps, price] of prices.entries()) {
    const slot = [0];
    for (let step = 1; step <= steps; step++) {
      const options = [slot[step - 1]];
      if (step >= near) options.push(slot[step - near] + (1 - price + slots * slot[step - near]));
      if (step >= far) options.push(slot[step - far] + largest[step - far]);
      slot.push(Math.max(...options));
    }
    largest.push(Math.floor(1 + slots * slot[steps] + price * (size - 1) + 1e-9));
  }
  return largest.every((ranks) => ranks < ways.length) ? prices.length * unit : 0;
}

/** The ranks that can be got to from this one over pairs that are less than this apart, in either direction. */
function classOf(rank: number, ways: readonly (readonly Seconds[])[], apart: Seconds): Set<number> {
  const reached = new Set([rank]);
  for (const from of reached) {
    ways.forEach((_, to) => {
      if (Math.min(ways[from][to], ways[to][from]) < apart * (1 - 1e-9)) reached.add(to);
    });
  }
  return reached;
}

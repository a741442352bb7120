/** The machine that is calibrated: the kinds of links that share parameters, and the machine with given values of the parameters. */

import type { SourceRange } from '../ir/diagnostic.ts';
import type { LaneModel, LinkLane } from '../ir/lanes.ts';
import { Routes } from '../ir/routes.ts';
import type { Link, Topology } from '../ir/topology.ts';
import type { BytesPerSecond, Seconds } from '../ir/units.ts';

/** The links that one statement of the topology file makes. They share their parameters. */
export interface LinkKind {
  /** `link1`, in the order of the file. */
  readonly name: string;
  /** The place of the statement in the file. */
  readonly place: SourceRange | undefined;
  readonly latency: Seconds;
  readonly bandwidth: BytesPerSecond;
  /** The lane model of these links; undefined for links that thread blocks write to directly, without a proxy. */
  readonly buffered: LinkLane | undefined;
}

/** The key of a link's kind: the place of its statement. Links of machines without a file are all of one kind. */
function placeOf({ origin }: Link): number {
  return origin?.start ?? 0;
}

/**
 * The kinds of links in a topology file, whatever the values of its parameters. If the file declares no lane model, links that occur only on
 * routes between groups count as buffered (a proxy sends on what lanes write to them).
 */
export function linkKindsOf(topologies: readonly Topology[]): readonly LinkKind[] {
  const isSaid = topologies.some(({ links }) => links.some(({ lane }) => lane !== undefined));
  const between = isSaid ? new Set<number>() : kindsBetweenGroups(topologies);
  const first = new Map<number, Link>();
  for (const { links } of topologies) {
    for (const link of links) if (!first.has(placeOf(link))) first.set(placeOf(link), link);
  }
  return [...first]
    .sort(([a], [b]) => a - b)
    .map(([start, { origin, latency, bandwidth, lane }], index): LinkKind => {
      const assumed = between.has(start) ? bufferedWith(latency) : undefined;
      return {
        name: `link${index + 1}`,
        place: origin,
        latency: lane?.latency ?? latency,
        bandwidth,
        buffered: lane?.buffered === true ? lane : assumed,
      };
    });
}

/** By link of a machine: the index of its kind. */
export function kindOfLinks(topology: Topology, kinds: readonly LinkKind[]): readonly number[] {
  const byPlace = new Map(kinds.map(({ place }, index) => [place?.start ?? 0, index]));
  return topology.links.map((link) => byPlace.get(placeOf(link)) ?? 0);
}

/** The lane model from which the fit of a buffered link starts: its gap is about its latency. */
function bufferedWith(gap: Seconds): LinkLane {
  return { buffered: true, gap, bandwidth: Number.POSITIVE_INFINITY };
}

/** Keys of the kinds of links that occur on routes between groups and on no route within a group. */
function kindsBetweenGroups(topologies: readonly Topology[]): ReadonlySet<number> {
  const [inside, between] = [new Set<number>(), new Set<number>()];
  for (const topology of topologies) {
    if (topology.groups.length < 2) continue;
    const groupOf = new Map(topology.groups.flatMap((group, index) => group.map((rank) => [rank, index] as const)));
    const routes = Routes.of(topology);
    for (let from = 0; from < topology.chips.length; from++) {
      for (let to = 0; to < topology.chips.length; to++) {
        if (from === to) continue;
        const used = groupOf.get(from) === groupOf.get(to) ? inside : between;
        for (const link of routes.between(from, to, 0)?.links ?? []) used.add(placeOf(topology.links[link]));
      }
    }
  }
  return new Set([...between].filter((place) => !inside.has(place)));
}

/** The parameter values of one kind of links. */
export interface LinkParameters {
  readonly latency: Seconds;
  readonly bandwidth: BytesPerSecond;
  readonly buffered: LinkLane | undefined;
}

/** The parameter values of a machine under one protocol. */
export interface Numbers {
  readonly launch: Seconds;
  /** Undefined in the model of links and engines alone. */
  readonly lane: LaneModel | undefined;
  readonly inflight: number | undefined;
  /** By index of the kind of links. */
  readonly links: readonly LinkParameters[];
}

/** The machine with these parameter values. */
export function machineWith(topology: Topology, kinds: readonly LinkKind[], numbers: Numbers): Topology {
  const kindOf = kindOfLinks(topology, kinds);
  const links = topology.links.map((link, index): Link => {
    const { latency, bandwidth, buffered } = numbers.links[kindOf[index]];
    const { lane: _said, ...plain } = link;
    return { ...plain, latency, bandwidth, ...(buffered === undefined ? {} : { lane: buffered }) };
  });
  const { launch, lane, inflight } = numbers;
  const { lane: _lane, launch: _launch, protocols: _protocols, protocol: _protocol, ...plain } = topology;
  return { ...plain, links, inflight, ...(launch === 0 ? {} : { launch }), ...(lane === undefined ? {} : { lane }) };
}

/** A problem as the searches see it: the machine, turned round for moves that are reversed afterwards. */
import { Latencies } from '../../bounds/latency/latencies.ts';
import { chipsAreAlike } from '../../graph/index.ts';
import { type Topology, transpose } from '../../ir/topology.ts';
import type { Problem } from '../engine.ts';
import { maxRanksFor } from '../limits.ts';
import { isLine } from '../line.ts';
import { sharesOf } from '../shares.ts';
import { roundTrips, widthsInto } from './centre.ts';
import type { SpreadKind, SpreadProblem } from './problem.ts';
import { type RouteTable, routeTableOf } from './route-table.ts';

/** The search problem of a move on a machine, or on the machine with its links turned round: the same one where that changes nothing. */
export type MoveProblem = (kind: SpreadKind, reversed: boolean) => SpreadProblem;

/** What the searches share is found once. */
export function machineFor(problem: Problem): MoveProblem {
  const { routes, collective, size, seed, effort = 'full' } = problem;
  const { ranks, counts } = collective;
  const mirrored = isOwnMirror(routes.topology);
  const root = rootFor(problem);
  const inBulks = (ranks > maxRanksFor.sources && problem.inOneBulk !== true) || reducesThere(problem);
  const ways = new Map<boolean, RouteTable>();
  const made = new Map<string, SpreadProblem>();
  const make = (kind: SpreadKind, reversed: boolean): SpreadProblem => {
    const topology = reversed ? transpose(routes.topology) : routes.topology;
    const isReached = reachesAll(topology, kind, root);
    return {
      kind,
      topology,
      unreachable: isReached ? undefined : 'some chips cannot reach others that need their data',
      routes: () => cached(ways, reversed, () => routeTableOf(routes, reversed)),
      size,
      ranks,
      root,
      inBulks: kind === 'broadcast' && inBulks,
      shares: kind === 'allgather' ? sharesOf(counts) : undefined,
      seed,
      effort,
      shouldStop: (work) => problem.shouldStop?.(work) === true,
    };
  };
  return (kind, reversed) => {
    const turns = reversed && !mirrored;
    return cached(made, `${kind} ${turns}`, () => make(kind, turns));
  };
}

/** What is known of a key, or is made and known from then on. */
export function cached<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

/**
 * The root of moves that have one: that of the collective; for an allreduce any does. Where chips cannot send while they reduce, it is the
 * one with the narrowest links: others would have more to reduce at once there. Short messages come together in the middle of the
 * machine, as long as the way there and back is shorter by more than the message takes over the links of that root.
 */
function rootFor(problem: Problem): number {
  const { collective, routes, size } = problem;
  if (collective.kind !== 'allreduce') return collective.root;
  const widths = widthsInto(routes.topology);
  const usual = reducesThere(problem) ? widths.indexOf(Math.min(...widths)) : collective.root;
  if (chipsAreAlike(routes.topology) || collective.ranks > maxRanksFor.packings) return usual;
  const trips = roundTrips(routes.topology);
  const least = Math.min(...trips);
  return trips[usual] - least > size / widths[usual] ? trips.indexOf(least) : usual;
}

/** Whether an allreduce is asked for, or a reduce along a line, on chips that cannot send while they reduce. */
function reducesThere({ collective, routes }: Problem): boolean {
  const isBoth = collective.kind === 'allreduce' || (collective.kind === 'reduce' && isLine(routes.topology));
  return isBoth && routes.topology.nodes.some(({ reduce }) => reduce?.overlap === false);
}

/** Whether every link has one like it the other way, and chips send as many messages at once as they receive. */
function isOwnMirror({ nodes, links, chips }: Topology): boolean {
  const traits = links.map(({ latency, bandwidth, occupancy }) => `${latency} ${bandwidth} ${occupancy}`);
  const there = links.map(({ from, to }, index) => `${from} ${to} ${traits[index]}`).sort();
  const back = links.map(({ from, to }, index) => `${to} ${from} ${traits[index]}`).sort();
  return (
    there.every((link, index) => link === back[index]) &&
    chips.every((node) => nodes[node].ports.send === nodes[node].ports.receive)
  );
}

/** Whether everyone can be reached from the root, and the root from everyone where all of them have data. */
function reachesAll(topology: Topology, kind: SpreadKind, root: number): boolean {
  const isReached = (machine: Topology): boolean => {
    const latencies = new Latencies(machine).from(machine.chips[root]);
    return machine.chips.every((node) => Number.isFinite(latencies[node]));
  };
  return isReached(topology) && (kind === 'broadcast' || isReached(transpose(topology)));
}

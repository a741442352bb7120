/**
 * Turns the engine's problem into search problems for its moves. Moves that are reversed afterwards are searched on the transposed machine
 * (all links reversed).
 */
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

/**
 * Returns the search problem of a move, on the machine or (`reversed`) on the transposed machine. If the machine equals its transpose, both
 * are the same object, so that one search serves both.
 */
export type MoveProblem = (kind: SpreadKind, reversed: boolean) => SpreadProblem;

/** Returns a function that makes the search problem of each move. Route tables and problems are made once and shared. */
export function moveProblemFactory(problem: Problem): MoveProblem {
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

/** Returns the map's value for a key; makes and stores it if there is none. */
export function cached<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

/**
 * The root of broadcasts: the collective's own, but an allreduce may use any rank. On chips that cannot send while they reduce, an
 * allreduce takes the rank with the least bandwidth into it, since a rank with more would receive, and so have to reduce, more at once. For
 * short messages it takes the centre of the machine instead, provided the round trip from there is shorter by more than the time that the
 * message needs over the links into the other root.
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

/** Whether this is an allreduce, or a reduce along a line, on chips that cannot send while they reduce. */
function reducesThere({ collective, routes }: Problem): boolean {
  const isBoth = collective.kind === 'allreduce' || (collective.kind === 'reduce' && isLine(routes.topology));
  return isBoth && routes.topology.nodes.some(({ reduce }) => reduce?.overlap === false);
}

/** Whether the machine equals its transpose: every link has an equal one in the other direction, and every chip has as many send as receive ports. */
function isOwnMirror({ nodes, links, chips }: Topology): boolean {
  const traits = links.map(({ latency, bandwidth, occupancy }) => `${latency} ${bandwidth} ${occupancy}`);
  const there = links.map(({ from, to }, index) => `${from} ${to} ${traits[index]}`).sort();
  const back = links.map(({ from, to }, index) => `${to} ${from} ${traits[index]}`).sort();
  return (
    there.every((link, index) => link === back[index]) &&
    chips.every((node) => nodes[node].ports.send === nodes[node].ports.receive)
  );
}

/** Whether the root reaches every rank and, in an allgather, every rank reaches the root (and so every other rank). */
function reachesAll(topology: Topology, kind: SpreadKind, root: number): boolean {
  const isReached = (machine: Topology): boolean => {
    const latencies = new Latencies(machine).from(machine.chips[root]);
    return machine.chips.every((node) => Number.isFinite(latencies[node]));
  };
  return isReached(topology) && (kind === 'broadcast' || isReached(transpose(topology)));
}

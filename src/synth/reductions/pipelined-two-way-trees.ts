/**
 * Allreduce in packets: up spanning trees and down the same ones, where links lead both ways. With trees on all links about as many
 * bytes cross each link as the least number of messages asks for, 2(N − 1)M in all (cost/bounds/message-count.ts), whatever links
 * are missing; a reducescatter and an allgather are held up by the chip with the fewest links.
 */
import type { Routes } from '../../ir/routes.ts';
import { directArcs } from '../arcs.ts';
import { dismissed, type Problem, type Proposal } from '../engine.ts';
import { mostRanksFor, tolerance } from '../limits.ts';
import { type Connection, packTwoWayTrees } from '../trees/matroid-partition.ts';
import type { Tree } from '../trees/pack.ts';
import { inStep, latenciesOfStep } from './in-step.ts';
import { bestPackets, mostPackets, packetLoad } from './packet-load.ts';
import { packetSchedule } from './packet-schedule.ts';
import { rootedTrees } from './rooted-trees.ts';

/** Trees that share a connection at most. */
const mostCopies = 8;

export function* pipelinedTwoWayTrees(problem: Problem, engine: string): Iterable<Proposal> {
  const { collective, chunks, size, routes, parameters, effort = 'full', shouldStop } = problem;
  const name = 'packets up and down trees';
  if (parameters.trees !== undefined) return;
  if (collective.ranks > mostRanksFor.packings)
    return yield dismissed(name, `packing trees of more than ${mostRanksFor.packings} ranks takes too long`);
  const connections = connectionsOf(routes);
  if (typeof connections === 'string') return yield dismissed(name, connections);
  const { number, copies } = bestNumber(connections.length, collective.ranks);
  const room = connections.map((connection) => ({ ...connection, capacity: copies }));
  const forest = number === 0 ? undefined : packTwoWayTrees(collective.ranks, room, number, shouldStop);
  if (forest === undefined)
    return yield dismissed(name, `${connections.length} connections are not as many trees as they could be`);
  const trees = rootedTrees(forest, connections, collective.ranks);
  const load = packetLoad(trees, routes, true);
  if (load === undefined) return yield dismissed(name, 'switches are in between');
  const most = mostPackets(messagesOfStep(trees), effort);
  const paced = { ...load, latency: load.latency * latenciesOfStep(routes) };
  const packets = chunks === undefined ? bestPackets(paced, size, most) : chunks / number;
  if (!Number.isInteger(packets)) return yield dismissed(name, `needs a multiple of ${number} chunks, not ${chunks}`);
  const build = (multiple: number) =>
    packetSchedule(name, trees, { ...collective, chunks: number * packets * multiple }, packets);
  const candidate = { name, origin: { engine, schedule: name }, build };
  yield { kind: 'candidate', candidate: inStep(candidate, problem, engine) };
}

/**
 * How many trees there should be, of which so many share a connection: as few as come near N − 1 connections each for all that the
 * connections carry. On a grid of 8 × 8 with 112 connections a single tree would leave almost half of them idle; 7 trees use each four times.
 */
function bestNumber(connections: number, ranks: number): { readonly number: number; readonly copies: number } {
  const full = connections / (ranks - 1);
  let best = { number: 0, copies: 1 };
  for (let copies = 1; copies <= mostCopies; copies++) {
    const number = Math.floor(copies * full * (1 + 1e-12));
    if (number / copies > best.number / best.copies + tolerance * full) best = { number, copies };
  }
  return best;
}

/** Messages over connections that trees share are one, up or down. */
function messagesOfStep(trees: readonly Tree[]): number {
  return new Set(
    trees.flatMap(({ edges }) => edges.flatMap(({ from, to }) => [`up ${to} ${from}`, `down ${from} ${to}`])),
  ).size;
}

/** Pairs of ranks with links both ways; or why these make no trees of full width. */
function connectionsOf(routes: Routes): Connection[] | string {
  const { nodes, chips, links } = routes.topology;
  if (nodes.length !== chips.length) return 'switches are in between';
  if (links.some(({ bandwidth }) => bandwidth !== links[0].bandwidth)) return 'links are not all alike';
  const arcs = directArcs(routes);
  const back = new Set(arcs.map(({ from, to }) => `${to} ${from}`));
  return arcs.flatMap(({ from, to }) =>
    from < to && back.has(`${from} ${to}`) ? [{ a: from, b: to, capacity: 1 }] : [],
  );
}

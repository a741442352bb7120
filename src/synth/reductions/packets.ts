/**
 * Reductions in packets: up trees that are packed into all links (trees/pack.ts), or for an allreduce up spanning trees and down the same ones. In each step every
 * edge carries what has come of a packet, and each chip reduces what comes: with k packets and h steps from the first leaf to the end that takes
 * (k + h − 1)(α + c·M/k), for c seconds for each byte at the busiest link and the busiest chip (docs/reductions.md).
 */
import type { Collective } from '../../ir/collective.ts';
import { partOfWork } from '../../ir/effort.ts';
import type { Routes } from '../../ir/routes.ts';
import { type Piece, type Schedule, StepsBuilder, type Transfer, type TransferKind } from '../../ir/schedule.ts';
import { transpose } from '../../ir/topology.ts';
import { type Arc, directArcs } from '../arcs.ts';
import { dismissed, type Problem, type Proposal } from '../engine.ts';
import { mostRanksFor } from '../limits.ts';
import type { Tree } from '../trees/pack.ts';
import { packed } from '../trees/packing.ts';
import { twoWayTrees } from '../trees/two-way-trees.ts';
import { balancedTrees } from './balanced-trees.ts';

/** Operations of a schedule that is made, proved and simulated in a moment. */
const mostOperations = 120_000;

export function* packets(problem: Problem): Iterable<Proposal> {
  const { collective, chunks, parameters, routes } = problem;
  const isTwoWay = collective.kind === 'allreduce';
  const name = isTwoWay ? 'packets up and down trees' : 'packets up packed trees';
  if (parameters.trees !== undefined) return;
  if (collective.ranks > mostRanksFor.packings)
    return yield dismissed(name, `packing trees of more than ${mostRanksFor.packings} ranks takes too long`);
  const found = isTwoWay ? twoWayTrees(routes.topology, problem.shouldStop) : treesToRoot(problem);
  if (typeof found === 'string') return yield dismissed(name, found);
  const load = loadOf(found, isTwoWay, routes);
  if (load === undefined) return yield dismissed(name, 'switches are in between');
  const trees = balancedTrees(found, load.linkTime, isTwoWay, problem);
  const parts = sumOf(trees);
  const number = chunks === undefined ? bestNumber(loadOf(trees, isTwoWay, routes) ?? load, problem) : chunks / parts;
  if (!Number.isInteger(number)) return yield dismissed(name, `needs a multiple of ${parts} chunks, not ${chunks}`);
  const build = (multiple: number): Schedule =>
    inPackets(name, trees, { ...collective, chunks: parts * number * multiple }, number);
  yield { kind: 'candidate', candidate: { name, origin: { engine: 'in-step', schedule: name }, build } };
}

/** Trees whose edges lead away from the root; messages go the other way. */
function treesToRoot({ collective, routes, effort, shouldStop }: Problem): readonly Tree[] | string {
  const request = { kind: 'broadcast', root: collective.root, trees: undefined } as const;
  const packing = packed({ ...request, topology: transpose(routes.topology), effort, shouldStop });
  return typeof packing === 'string' ? packing : packing.trees;
}

/** What a step asks of links and chips, in which every edge carries its part of a packet; undefined where edges are not single links. */
function loadOf(trees: readonly Tree[], isTwoWay: boolean, routes: Routes) {
  const { nodes, chips } = routes.topology;
  const arcs = new Map(directArcs(routes).map((arc) => [`${arc.from} ${arc.to}`, arc]));
  const reduced = new Float64Array(chips.length);
  const carried: (readonly [Arc, number])[] = [];
  const messages = byConnection(edgesOf(trees, isTwoWay));
  for (const message of messages) {
    const [{ from, to }] = message;
    const arc = arcs.get(`${from} ${to}`);
    if (arc === undefined) return undefined;
    carried.push([arc, sumOf(message) / sumOf(trees)]);
    reduced[to] += sumOf(message.filter(({ kind }) => kind === 'reduce')) / sumOf(trees);
  }
  return {
    /** Steps of a packet. */
    height: 1 + Math.max(...messages.flat().map(({ firstStep }) => firstStep)),
    // Messages are sent and received; what has waited is reduced on its own.
    operations: 2 * messages.length + (isTwoWay ? messages.flat().length / 2 : 0),
    latency: Math.max(...carried.map(([{ latency }]) => latency)),
    /** Seconds for each byte of a packet, of the busiest link and of the chip that reduces longest. */
    linkTime: Math.max(...carried.map(([{ bandwidth }, part]) => part / bandwidth)),
    reduceTime: Math.max(...reduced.map((part, rank) => part / (nodes[chips[rank]].reduce?.throughput ?? Infinity))),
  };
}

/** The number of packets that takes least: k = √((h − 1)·c·M / α). */
function bestNumber(load: NonNullable<ReturnType<typeof loadOf>>, { size, effort = 'full' }: Problem): number {
  const { height, operations, latency, linkTime, reduceTime } = load;
  const most = Math.max(1, Math.floor((mostOperations * partOfWork[effort]) / operations));
  const ideal = Math.sqrt(((height - 1) * (linkTime + reduceTime) * size) / latency);
  return Math.max(1, Math.min(most, Math.round(ideal)));
}

/** Parts into which a packet is cut, or of which a message consists. */
function sumOf(of: readonly { readonly amount: number }[]): number {
  return of.reduce((sum, { amount }) => sum + amount, 0);
}

/** A tree's edge, up or down. */
interface Edge {
  readonly kind: TransferKind;
  readonly from: number;
  readonly to: number;
  /** The step of its first message. */
  readonly firstStep: number;
  /** Its tree's first chunk in a packet, in parts of the packet, and how many it has. */
  readonly offset: number;
  readonly amount: number;
  /** Where it waits to be reduced, in parts. */
  readonly waiting: number;
}

/**
 * The reduce or allreduce in which each edge carries one packet a step, from the step in which the first packet can be there: so a
 * message carries what has been reduced in the step before. What goes up and what comes down between two ranks is one message: what is to be reduced waits in scratch
 * until all messages of the step have come.
 *
 * @param collective its C is a multiple of the number of packets times the parts of a packet
 */
function inPackets(name: string, trees: readonly Tree[], collective: Collective, packets: number): Schedule {
  const perPacket = collective.chunks / packets;
  const perPart = perPacket / sumOf(trees);
  const isTwoWay = collective.kind === 'allreduce';
  const edges = edgesOf(trees, isTwoWay);
  const messages = byConnection(edges);
  const steps = Math.max(...edges.map(({ firstStep }) => firstStep)) + packets;
  const builder = new StepsBuilder();
  for (let step = 0; step < steps; step++) {
    const reductions: Transfer[] = [];
    for (const message of messages) {
      const [{ from, to }] = message;
      const active = message.filter(({ firstStep }) => firstStep <= step && step < firstStep + packets);
      const held: Piece[] = [];
      const pieces = active.map(({ kind, firstStep, offset, amount, waiting }): Piece => {
        const at = (step - firstStep) * perPacket + offset * perPart;
        const place = { from: 'data', fromOffset: at, to: 'data', toOffset: at, count: amount * perPart } as const;
        if (!isTwoWay || kind === 'copy') return place;
        held.push({ ...place, from: 'scratch', fromOffset: waiting * perPart });
        return { ...place, to: 'scratch', toOffset: waiting * perPart };
      });
      if (pieces.length > 0) builder.add(transfer(isTwoWay ? 'copy' : 'reduce', from, to, pieces));
      if (held.length > 0) reductions.push(transfer('reduce', to, to, held));
    }
    builder.endStep();
    for (const reduction of reductions) builder.add(reduction);
    if (isTwoWay) builder.endStep();
  }
  const scratch = isTwoWay ? Math.max(...edges.map(({ waiting, amount }) => waiting + amount)) * perPart : 0;
  return { name, collective, scratch, commutative: true, ring: false, steps: builder.build() };
}

function transfer(kind: TransferKind, source: number, destination: number, pieces: Piece[]): Transfer {
  return { kind, source, destination, channel: 0, order: 'held-first', pieces, origin: undefined };
}

/** Edges up the trees, and down again if results go there. */
function edgesOf(trees: readonly Tree[], isTwoWay: boolean): Edge[] {
  let next = 0;
  const held = new Map<number, number>();
  return trees.flatMap(({ root, amount, edges }) => {
    const offset = next;
    next += amount;
    /** Of each rank, the steps until all that is below has come. */
    const heights = new Map<number, number>();
    for (const { from, to } of edges.toReversed()) {
      heights.set(from, Math.max(heights.get(from) ?? 0, (heights.get(to) ?? 0) + 1));
    }
    const up = edges.map(({ from, to }): Edge => {
      const waiting = held.get(from) ?? 0;
      held.set(from, waiting + amount);
      return { kind: 'reduce', from: to, to: from, firstStep: heights.get(to) ?? 0, offset, amount, waiting };
    });
    const complete = (heights.get(root) ?? 0) - 1;
    const down = edges.map(({ from, to, depth }): Edge => {
      return { kind: 'copy', from, to, firstStep: complete + depth, offset, amount, waiting: 0 };
    });
    return isTwoWay ? [...up, ...down] : up;
  });
}

/** What goes in one message: edges between the same ranks. */
function byConnection(edges: readonly Edge[]): readonly (readonly Edge[])[] {
  const groups = new Map<string, Edge[]>();
  for (const edge of edges) {
    const key = `${edge.from} ${edge.to}`;
    const group = groups.get(key) ?? [];
    group.push(edge);
    groups.set(key, group);
  }
  return [...groups.values()];
}

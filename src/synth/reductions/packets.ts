/**
 * Pipelined reductions in packets: up trees packed into all links (trees/pack.ts) or, for an allreduce, up spanning trees and down the same
 * ones. In each step every edge carries what has been reduced of one packet, and each chip reduces what arrives. With k packets, and h
 * steps from the first leaf to the end, that takes (k + h − 1)(α + c·M/k), where c is the seconds per byte of the busiest link plus those
 * of the chip that reduces longest (docs/reductions.md).
 * Limits: ranks joined by single links, up to `maxRanksFor.packings` of them.
 */
import type { Collective } from '../../ir/collective.ts';
import { partOfWork } from '../../ir/effort.ts';
import type { Routes } from '../../ir/routes.ts';
import { type Piece, type Schedule, StepsBuilder, type TransferKind } from '../../ir/schedule.ts';
import { transpose } from '../../ir/topology.ts';
import { type Arc, directArcs } from '../arcs.ts';
import { dismissed, type Problem, type Proposal } from '../engine.ts';
import { maxRanksFor } from '../limits.ts';
import { cached } from '../list/machine.ts';
import { bidirectionalTrees } from '../trees/bidirectional-trees.ts';
import type { Tree } from '../trees/pack.ts';
import { packed } from '../trees/packing.ts';
import { balancedTrees } from './balanced-trees.ts';

/** Maximum operations of a schedule at full effort: one of this size is still built, checked and simulated quickly. */
const mostOperations = 120_000;

/** Proposes one reduction in packets, or dismisses it with the reason. */
export function* proposePackets(problem: Problem): Iterable<Proposal> {
  const { collective, chunks, parameters, routes } = problem;
  const isTwoWay = collective.kind === 'allreduce';
  const name = isTwoWay ? 'packets up and down trees' : 'packets up packed trees';
  if (parameters.trees !== undefined) return;
  if (collective.ranks > maxRanksFor.packings)
    return yield dismissed(name, `packing trees of more than ${maxRanksFor.packings} ranks takes too long`);
  const found = isTwoWay ? bidirectionalTrees(routes.topology, problem.shouldStop) : treesToRoot(problem);
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

/** Packs trees on the transposed machine, with edges from the root to the leaves; messages go the other way. Returns the reason if there are none. */
function treesToRoot({ collective, routes, effort, shouldStop }: Problem): readonly Tree[] | string {
  const request = { kind: 'broadcast', root: collective.root, trees: undefined } as const;
  const packing = packed({ ...request, topology: transpose(routes.topology), effort, shouldStop });
  return typeof packing === 'string' ? packing : packing.trees;
}

/** The loads of a step in which every edge carries its part of a packet; undefined if some edge is not a single link. */
function loadOf(trees: readonly Tree[], isTwoWay: boolean, routes: Routes) {
  const { nodes, chips } = routes.topology;
  const arcs = new Map(directArcs(routes).map((arc) => [`${arc.from} ${arc.to}`, arc]));
  const reduced = new Float64Array(chips.length);
  const carried = new Map<Arc, number>();
  const messages = messagesOf(trees, isTwoWay);
  for (const message of messages) {
    const [{ kind, from, to }] = message;
    const arc = arcs.get(`${from} ${to}`);
    if (arc === undefined) return undefined;
    const part = sumOf(message) / sumOf(trees);
    carried.set(arc, (carried.get(arc) ?? 0) + part);
    if (kind === 'reduce') reduced[to] += part;
  }
  return {
    /** Steps from the first message of a packet to the last. */
    height: 1 + Math.max(...messages.flat().map(({ firstStep }) => firstStep)),
    /** Operations of a packet: each message is one send and one receive. */
    operations: 2 * messages.length,
    latency: Math.max(...Array.from(carried.keys(), ({ latency }) => latency)),
    /** Seconds per byte of a packet: of the busiest link, and of the chip that reduces longest. */
    linkTime: Math.max(...Array.from(carried, ([{ bandwidth }, part]) => part / bandwidth)),
    reduceTime: Math.max(...reduced.map((part, rank) => part / (nodes[chips[rank]].reduce?.throughput ?? Infinity))),
  };
}

/** The fastest number of packets, k = √((h − 1)·c·M / α), within the limit of operations. */
function bestNumber(load: NonNullable<ReturnType<typeof loadOf>>, { size, effort = 'full' }: Problem): number {
  const { height, operations, latency, linkTime, reduceTime } = load;
  const most = Math.max(1, Math.floor((mostOperations * partOfWork[effort]) / operations));
  const ideal = Math.sqrt(((height - 1) * (linkTime + reduceTime) * size) / latency);
  return Math.max(1, Math.min(most, Math.round(ideal)));
}

/** The sum of amounts, in parts of a packet. */
function sumOf(of: readonly { readonly amount: number }[]): number {
  return of.reduce((sum, { amount }) => sum + amount, 0);
}

/** An edge of a tree with its direction of travel: up (reduce) or down (copy). */
interface Edge {
  readonly kind: TransferKind;
  readonly from: number;
  readonly to: number;
  /** The step in which it carries the first packet. */
  readonly firstStep: number;
  /** The tree's first part within a packet, and its number of parts. */
  readonly offset: number;
  readonly amount: number;
}

/**
 * Builds the reduce or allreduce. Every edge carries one packet per step, starting with the step in which the first packet can be there; so
 * a message carries what was reduced in the previous step.
 * @param collective its C is a multiple of the number of packets times the parts of a packet
 */
function inPackets(name: string, trees: readonly Tree[], collective: Collective, packets: number): Schedule {
  const perPacket = collective.chunks / packets;
  const perPart = perPacket / sumOf(trees);
  const messages = messagesOf(trees, collective.kind === 'allreduce');
  const steps = Math.max(...messages.flat().map(({ firstStep }) => firstStep)) + packets;
  const builder = new StepsBuilder();
  for (let step = 0; step < steps; step++) {
    for (const message of messages) {
      const [{ kind, from, to }] = message;
      const active = message.filter(({ firstStep }) => firstStep <= step && step < firstStep + packets);
      const pieces = active.map(({ firstStep, offset, amount }): Piece => {
        const at = (step - firstStep) * perPacket + offset * perPart;
        return { from: 'data', fromOffset: at, to: 'data', toOffset: at, count: amount * perPart };
      });
      if (pieces.length === 0) continue;
      builder.add({ kind, source: from, destination: to, channel: 0, order: 'held-first', pieces, origin: undefined });
    }
    builder.endStep();
  }
  return { name, collective, scratch: 0, commutative: true, ring: false, steps: builder.build() };
}

/** All edges up the trees and, if results come back, down; edges between the same two ranks in the same direction form one message. */
function messagesOf(trees: readonly Tree[], isTwoWay: boolean): readonly (readonly Edge[])[] {
  const [up, down]: [Edge[], Edge[]] = [[], []];
  let offset = 0;
  for (const { root, amount, edges } of trees) {
    /** By rank: the number of steps until everything from below has arrived. */
    const heights = new Map<number, number>();
    for (const { from, to } of edges.toReversed()) {
      heights.set(from, Math.max(heights.get(from) ?? 0, (heights.get(to) ?? 0) + 1));
    }
    const complete = (heights.get(root) ?? 0) - 1;
    for (const { from, to, depth } of edges) {
      up.push({ kind: 'reduce', from: to, to: from, firstStep: heights.get(to) ?? 0, offset, amount });
      if (isTwoWay) down.push({ kind: 'copy', from, to, firstStep: complete + depth, offset, amount });
    }
    offset += amount;
  }
  const messages = new Map<string, Edge[]>();
  for (const edge of [...up, ...down]) cached(messages, `${edge.kind} ${edge.from} ${edge.to}`, () => []).push(edge);
  return [...messages.values()];
}

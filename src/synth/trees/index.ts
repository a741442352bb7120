/** The trees engine: spanning trees packed into a machine's capacities, for the greatest throughput that any plan can reach. */
import { tightestCut } from '../../cost/index.ts';
import { type Collective, collectiveFacts, keepsRankOrder } from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { transpose } from '../../ir/topology.ts';
import { arcBetween } from '../arcs.ts';
import { assemble, type Derivation, derivationsOf, leastChunks, type Part } from '../derive.ts';
import { dismissed, type Engine, type Problem, type Proposal } from '../engine.ts';
import { mostRanksFor, tolerance } from '../limits.ts';
import { sharesOf } from '../shares.ts';
import { capacitiesOf } from './capacities.ts';
import type { Tree } from './pack.ts';
import { type Packing, Packings } from './packing.ts';
import { type ArcsOf, chunksOf, scheduleOf, twoWaySchedule } from './schedule.ts';
import { greatestTwoWayRate, twoWayPacking } from './two-way-trees.ts';

/** What part of the bound trees are taken to reach; with less for long messages, quick searches are done before they are asked. */
const promised = { short: 0.3, long: 0.85 } as const;

export const trees: Engine = {
  name: 'trees',
  searches: true,
  holdsBack: true,
  promise: (problem) => ({ part: isShort(problem) ? promised.short : promised.long }),
  about: 'spanning trees packed into the capacities of the links: the greatest throughput possible',
  propose,
};

function* propose(problem: Problem): Iterable<Proposal> {
  const { collective, algorithm, byName = false } = problem;
  const derivations = derivationsOf(collective.kind).filter(({ parts }) => parts.every(isSpreading));
  if (algorithm !== undefined || derivations.length === 0 || collective.ranks === 1) return;
  if (problem.effort === 'quick' && !byName && isShort(problem)) {
    return yield dismissed(trees.name, 'throughput hardly matters to so short a message');
  }
  if (!byName && collective.ranks > mostRanksFor.flows) {
    const reason = `packing trees of more than ${mostRanksFor.flows} ranks takes too long; --engine trees tries it`;
    return yield dismissed(trees.name, reason);
  }
  if (keepsRankOrder(collective)) return yield dismissed(trees.name, 'needs an operator that commutes');
  const packings = new Packings();
  for (const derivation of derivations) yield packedProposal(problem, derivation, packings);
  if (collective.kind === 'allreduce') yield twoWayProposal(problem);
}

/**
 * The latency of the farthest way is more than twice what the bytes take over the links of a chip, on average; or, behind switches, two such
 * latencies and the bytes take as long as a plan that is known: trees in which nothing goes on from another chip are textbook algorithms.
 */
function isShort({ routes, size, toBeat = Number.POSITIVE_INFINITY }: Problem): boolean {
  const { nodes, chips, links } = routes.topology;
  const entering = nodes.map(() => 0);
  for (const { to, bandwidth } of links) entering[to] += bandwidth;
  const perByte = chips.reduce((sum, chip) => sum + 1 / entering[chip], 0) / chips.length;
  const latencies = chips.map((_, rank) => (rank === 0 ? 0 : (routes.between(0, rank)?.latency ?? 0)));
  const [farthest, bytesTime] = [Math.max(...latencies), size * perByte];
  return farthest > 2 * bytesTime || (nodes.length > chips.length && 2 * farthest + bytesTime >= toBeat);
}

function isSpreading({ kind }: Part): boolean {
  return kind === 'allgather' || kind === 'broadcast';
}

/** The schedule of the trees that are found for each part of a derivation. */
function packedProposal(problem: Problem, derivation: Derivation, known: Packings): Proposal {
  const { collective, chunks, routes } = problem;
  const name = derivation.name === '' ? 'packed trees' : `packed trees, ${derivation.name}`;
  const root = collectiveFacts[collective.kind].rooted ? collective.root : centreOf(routes);
  const packings: Packing[] = [];
  for (const part of derivation.parts) {
    const packing = packingFor(problem, part, root, known);
    if (typeof packing === 'string') return dismissed(name, packing);
    packings.push(packing);
  }
  const unit = leastChunks(collective, derivation, packings.map(chunksOf));
  // Trees of unequal shards get parts of any number of chunks that are nearly as they should be.
  if (chunks !== undefined && sharesOf(collective.counts) === undefined && chunks % unit !== 0) {
    return dismissed(name, `needs a multiple of ${unit} chunks per shard, not ${chunks}`);
  }
  const build = (multiple: number): Schedule => {
    const target = { ...collective, chunks: (chunks ?? unit) * multiple };
    const made = (move: Collective, part: Part): Schedule => {
      const index = derivation.parts.indexOf(part);
      // As many channels as a part can have on a connection: one for each batch of trees.
      const before = packings.slice(0, index).reduce((sum, { trees: all }) => sum + all.length, 0);
      const arcs: ArcsOf = (from, to, channel) =>
        part.reversed ? arcBetween(routes, to, from, channel) : arcBetween(routes, from, to, channel);
      return scheduleOf(name, packings[index], move, arcs, before);
    };
    return assemble(target, derivation, made, root);
  };
  return { kind: 'candidate', candidate: { name, origin: { engine: trees.name, schedule: name }, build } };
}

/** The rank from which the farthest one takes the fewest links. */
function centreOf(routes: Routes): number {
  const ranks = [...routes.topology.chips.keys()];
  const farthest = ranks.map((from) => Math.max(...ranks.map((to) => (to === from ? 0 : routes.hops(from, to)))));
  return farthest.indexOf(Math.min(...farthest));
}

function packingFor(problem: Problem, { kind, reversed }: Part, root: number, known: Packings): Packing | string {
  const { collective, routes, parameters, effort, shouldStop } = problem;
  const packing = known.of({
    topology: reversed ? transpose(routes.topology) : routes.topology,
    kind,
    root,
    shares: sharesOf(collective.counts),
    trees: numberOfTrees(parameters),
    effort,
    shouldStop,
  });
  return typeof packing === 'string' ? packing : { ...packing, trees: amongWays(packing.trees, routes, reversed) };
}

/**
 * Trees per root as the user set them.
 * @throws CccError 'range' for anything but a whole number from 1
 */
function numberOfTrees({ trees: wanted }: Problem['parameters']): number | undefined {
  if (wanted === undefined || (Number.isSafeInteger(wanted) && wanted >= 1)) return wanted;
  throw new CccError('range', `trees must be a whole number from 1, not ${wanted}`);
}

/** Batches of trees so divided that all of the equally good ways between two ranks, which channels take in turn, get some. */
function amongWays(all: readonly Tree[], routes: Routes, reversed: boolean): Tree[] {
  return all.flatMap((tree) => {
    const choices = tree.edges.map(({ from, to }) => (reversed ? routes.choices(to, from) : routes.choices(from, to)));
    const ways = Math.min(tree.amount, Math.max(1, ...choices));
    return Array.from({ length: ways }, (_, way) => ({ ...tree, amount: Math.floor((tree.amount + way) / ways) }));
  });
}

/** Reducing up trees and sending down the same ones: on machines with few links at some chips more gets through in this way. */
function twoWayProposal({ collective, routes, chunks, shouldStop }: Problem): Proposal {
  const name = 'two-way trees';
  const graph = capacitiesOf(routes.topology);
  // A reducescatter or an allgather takes N chunks of a shard's rate each; one after the other, half as many in all.
  const { bandwidth, chips } = tightestCut(routes.topology, shouldStop === undefined ? {} : { shouldStop });
  const usual = (collective.ranks * bandwidth) / chips / 2;
  if (greatestTwoWayRate(graph) < usual * (1 - tolerance)) {
    return dismissed(name, 'carry less than reducescatter and allgather, or switches are in between');
  }
  const packing = twoWayPacking(graph, shouldStop);
  if (packing === undefined) return dismissed(name, 'do not span all chips, or there was no time');
  const unit = packing.trees.length;
  if (chunks !== undefined && chunks % unit !== 0) {
    return dismissed(name, `needs a multiple of ${unit} chunks per shard, not ${chunks}`);
  }
  const build = (multiple: number): Schedule =>
    twoWaySchedule(name, packing.trees, { ...collective, chunks: (chunks ?? unit) * multiple });
  return { kind: 'candidate', candidate: { name, origin: { engine: trees.name, schedule: name }, build } };
}

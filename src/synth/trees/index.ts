/** The trees engine: spanning trees packed into a machine's capacities, for the greatest throughput that any plan can reach. */
import { tightestCut } from '../../cost/index.ts';
import { collectiveFacts, keepsRankOrder, messageChunks } from '../../ir/collective.ts';
import { CccError } from '../../ir/diagnostic.ts';
import type { Routes } from '../../ir/routes.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { transpose } from '../../ir/topology.ts';
import { assemble, type Derivation, derivationsOf, leastChunks, type Part } from '../derive.ts';
import { type Candidate, dismissed, type Engine, type Problem, type Proposal } from '../engine.ts';
import { mostRanksFor, tolerance } from '../limits.ts';
import { sharesOf } from '../shares.ts';
import { capacitiesOf } from './capacities.ts';
import type { Tree } from './pack.ts';
import { type Packing, Packings } from './packing.ts';
import { chunksOf, scheduleOf, twoWaySchedule } from './schedule.ts';
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
  if (problem.algorithm !== undefined) return;
  const { collective } = problem;
  const derivations = derivationsOf(collective.kind).filter(({ parts }) => parts.every(isSpreading));
  if (derivations.length === 0 || collective.ranks === 1) return;
  if (problem.effort === 'quick' && problem.byName !== true && isShort(problem)) {
    yield dismissed(trees.name, 'throughput hardly matters to so short a message');
    return;
  }
  if (problem.byName !== true && collective.ranks > mostRanksFor.flows) {
    yield dismissed(
      trees.name,
      `packing trees of more than ${mostRanksFor.flows} ranks takes too long; --engine trees tries it`,
    );
    return;
  }
  if (keepsRankOrder(collective)) {
    yield dismissed(trees.name, 'needs an operator that commutes');
  } else {
    const packings = new Packings();
    for (const derivation of derivations) {
      yield* proposalsFor(problem, derivation, packings);
    }
    if (collective.kind === 'allreduce') yield* twoWayProposals(problem);
  }
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

/**
 * Trees per root as the user set them.
 * @throws CccError 'range' for anything but a whole number from 1
 */
function numberOfTrees({ trees: wanted }: Problem['parameters']): number | undefined {
  if (wanted === undefined || (Number.isSafeInteger(wanted) && wanted >= 1)) return wanted;
  throw new CccError('range', `trees must be a whole number from 1, not ${wanted}`);
}

function isSpreading({ kind }: Part): boolean {
  return kind === 'allgather' || kind === 'broadcast';
}

/** Chunks that each root of a part has, where the user has fixed C. */
function chunksOfPart({ collective, chunks }: Problem, kind: Part['kind']): number | undefined {
  if (chunks === undefined) return undefined;
  const message = messageChunks({ ...collective, chunks });
  return collectiveFacts[kind].sharded ? message / collective.ranks : message;
}

function* proposalsFor(problem: Problem, derivation: Derivation, known: Packings): Iterable<Proposal> {
  const name = nameOf('packed trees', derivation);
  const packings: Packing[] = [];
  for (const part of derivation.parts) {
    const packing = packingFor(problem, part, known);
    if (typeof packing === 'string') {
      yield dismissed(name, packing);
      return;
    }
    packings.push({ ...packing, trees: amongWays(packing.trees, problem.routes, part.reversed) });
  }
  yield proposalOf(problem, derivation, packings, name);
}

/** Batches of trees so divided that all of the equally good ways between two ranks, which channels take in turn, get some. */
function amongWays(all: readonly Tree[], routes: Routes, reversed: boolean): Tree[] {
  return all.flatMap((tree) => {
    const choices = tree.edges.map(({ from, to }) => (reversed ? routes.choices(to, from) : routes.choices(from, to)));
    const ways = Math.min(tree.amount, Math.max(1, ...choices));
    return Array.from({ length: ways }, (_, way) => ({ ...tree, amount: Math.floor((tree.amount + way) / ways) }));
  });
}

/** The schedule of the trees that were found for each part. */
function proposalOf(problem: Problem, derivation: Derivation, packings: readonly Packing[], name: string): Proposal {
  const { collective, chunks } = problem;
  const unit = leastChunks(collective, derivation, packings.map(chunksOf));
  // Trees of unequal shards get parts of any number of chunks that are nearly as they should be.
  const isDivisible = chunks === undefined || sharesOf(collective.counts) !== undefined || chunks % unit === 0;
  if (!isDivisible) return dismissed(name, `needs a multiple of ${unit} chunks per shard, not ${chunks}`);
  return { kind: 'candidate', candidate: candidateOf(name, problem, derivation, packings, chunks ?? unit) };
}

function nameOf(kind: string, { name }: Derivation): string {
  return name === '' ? kind : `${kind}, ${name}`;
}

function packingFor(problem: Problem, { kind, reversed }: Part, known: Packings): Packing | string {
  const { collective, routes, parameters, effort, shouldStop } = problem;
  return known.of({
    topology: reversed ? transpose(routes.topology) : routes.topology,
    kind,
    root: rootOf(problem),
    shares: sharesOf(collective.counts),
    trees: numberOfTrees(parameters),
    chunks: chunksOfPart(problem, kind),
    effort,
    shouldStop,
  });
}

function rootOf({ collective, routes }: Problem): number {
  return collectiveFacts[collective.kind].rooted ? collective.root : centreOf(routes);
}

/** Reducing up trees and sending down the same ones: on machines with few links at some chips more gets through in this way. */
function* twoWayProposals({ collective, routes, chunks, shouldStop }: Problem): Iterable<Proposal> {
  const name = 'two-way trees';
  const graph = capacitiesOf(routes.topology);
  // A reducescatter or an allgather takes N chunks of a shard's rate each; one after the other, half as many in all.
  const { bandwidth, chips } = tightestCut(routes.topology, shouldStop === undefined ? {} : { shouldStop });
  const usual = (collective.ranks * bandwidth) / chips / 2;
  if (greatestTwoWayRate(graph) < usual * (1 - tolerance)) {
    yield dismissed(name, 'carry less than reducescatter and allgather, or switches are in between');
    return;
  }
  const packing = twoWayPacking(graph, shouldStop);
  if (packing === undefined) {
    yield dismissed(name, 'do not span all chips, or there was no time');
    return;
  }
  const unit = packing.trees.length;
  if (chunks !== undefined && chunks % unit !== 0) {
    yield dismissed(name, `needs a multiple of ${unit} chunks per shard, not ${chunks}`);
    return;
  }
  const build = (multiple: number): Schedule =>
    twoWaySchedule(name, packing.trees, { ...collective, chunks: (chunks ?? unit) * multiple });
  yield { kind: 'candidate', candidate: { name, origin: { engine: trees.name, schedule: name }, build } };
}

function candidateOf(
  name: string,
  problem: Problem,
  derivation: Derivation,
  packings: readonly Packing[],
  chunks: number,
): Candidate {
  const { collective } = problem;
  return {
    name,
    origin: { engine: trees.name, schedule: name },
    build: (multiple) =>
      assemble(
        { ...collective, chunks: chunks * multiple },
        derivation,
        (move, part) => {
          const index = derivation.parts.indexOf(part);
          // As many channels as a part can have on a connection: one for each batch of trees.
          const before = packings.slice(0, index).reduce((sum, { trees: all }) => sum + all.length, 0);
          return scheduleOf(name, packings[index], move, before);
        },
        rootOf(problem),
      ),
  };
}

/** The rank from which the farthest one takes the fewest links. */
function centreOf(routes: Routes): number {
  const ranks = routes.topology.chips.length;
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (let from = 0; from < ranks; from++) {
    let farthest = 0;
    for (let to = 0; to < ranks; to++) if (to !== from) farthest = Math.max(farthest, routes.hops(from, to));
    if (farthest < least) [best, least] = [from, farthest];
  }
  return best;
}

/** The trees engine: spanning trees packed into a machine's capacities, for the greatest throughput that any plan can reach. */
import { keepsRankOrder } from '../../ir/collective.ts';
import { transpose } from '../../ir/topology.ts';
import { assemble, type Derivation, derivationsOf, leastChunks, type Part } from '../derive.ts';
import type { Candidate, Engine, Problem, Proposal } from '../engine.ts';
import { type Packing, Packings } from './packing.ts';
import { chunksOf, type Sharing, scheduleOf } from './schedule.ts';
import { waysOf } from './ways.ts';

export const trees: Engine = {
  name: 'trees',
  about: 'spanning trees packed into the capacities of the links: the greatest throughput possible',
  propose,
};

/** Beyond so many ranks, packing takes minutes. */
const mostRanks = 256;

const sharings: readonly Sharing[] = ['own', 'merged'];

function* propose(problem: Problem): Iterable<Proposal> {
  if (problem.algorithm !== undefined) return;
  const { collective } = problem;
  const derivations = derivationsOf(collective.kind).filter(({ parts }) => parts.every(isSpreading));
  if (derivations.length === 0 || collective.ranks === 1) return;
  if (keepsRankOrder(collective)) {
    yield dismissed(trees.name, 'needs an operator that commutes');
  } else if (collective.ranks > mostRanks) {
    yield dismissed(trees.name, `packs trees for up to ${mostRanks} ranks`);
  } else {
    const packings = new Packings();
    for (const derivation of derivations) yield* proposalsFor(problem, derivation, packings);
  }
}

function dismissed(name: string, reason: string): Proposal {
  return { kind: 'dismissed', dismissal: { name, reason } };
}

function isSpreading({ kind }: Part): boolean {
  return kind === 'allgather' || kind === 'broadcast';
}

function* proposalsFor(problem: Problem, derivation: Derivation, known: Packings): Iterable<Proposal> {
  const { collective, routes, parameters, shouldStop } = problem;
  const name = derivation.name === '' ? 'packed trees' : `packed trees, ${derivation.name}`;
  const packings: Packing[] = [];
  for (const { kind, reversed } of derivation.parts) {
    const topology = reversed ? transpose(routes.topology) : routes.topology;
    const request = { topology, kind, root: collective.root, trees: parameters.trees, shouldStop };
    const packing = known.of(request);
    if (packing === undefined) {
      yield dismissed(name, shouldStop?.() === true ? 'there was no time to pack trees' : 'no tree reaches every chip');
      return;
    }
    packings.push(packing);
  }
  const unit = leastChunks(collective, derivation, packings.map(chunksOf));
  if (problem.chunks !== undefined && problem.chunks % unit !== 0) {
    yield dismissed(name, `needs a multiple of ${unit} chunks per shard, not ${problem.chunks}`);
    return;
  }
  const chunks = problem.chunks ?? unit;
  for (const sharing of sharings) {
    const candidate = candidateOf(problem, derivation, packings, chunks, sharing, name);
    yield { kind: 'candidate', candidate };
  }
}

function candidateOf(
  { collective, routes }: Problem,
  derivation: Derivation,
  packings: readonly Packing[],
  chunks: number,
  sharing: Sharing,
  derived: string,
): Candidate {
  const name = sharing === 'own' ? derived : `${derived}, merged`;
  return {
    name,
    origin: { engine: trees.name, schedule: name },
    build: (multiple) =>
      assemble({ ...collective, chunks: chunks * multiple }, derivation, (move, part) =>
        scheduleOf(name, packings[derivation.parts.indexOf(part)], move, sharing, waysOf(routes, part.reversed)),
      ),
  };
}

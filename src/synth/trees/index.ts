/** The trees engine: spanning trees packed into a machine's capacities, for the greatest throughput that any plan can reach. */

import { keepsRankOrder } from '../../ir/collective.ts';
import { transpose } from '../../ir/topology.ts';
import { assemble, type Derivation, derivationsOf, leastChunks, type Part } from '../derive.ts';
import type { Candidate, Engine, Problem, Proposal } from '../engine.ts';
import { capacitiesOf } from './capacities.ts';
import { packTrees } from './pack.ts';
import { removeSwitches } from './remove-switches.ts';
import { scaleToTrees } from './scale.ts';
import { chunksOf, type Packing, type Sharing, scheduleOf } from './schedule.ts';

export const trees: Engine = {
  name: 'trees',
  about: 'spanning trees packed into the capacities of the links: the greatest throughput possible',
  propose,
};

const sharings: readonly Sharing[] = ['own', 'merged'];

function* propose(problem: Problem): Iterable<Proposal> {
  if (problem.algorithm !== undefined) return;
  const { collective } = problem;
  const derivations = derivationsOf(collective.kind).filter(({ parts }) => parts.every(isSpreading));
  if (derivations.length === 0 || collective.ranks === 1) return;
  if (keepsRankOrder(collective)) {
    yield { kind: 'dismissed', dismissal: { name: trees.name, reason: 'needs an operator that commutes' } };
    return;
  }
  for (const derivation of derivations) yield* proposalsFor(problem, derivation);
}

function isSpreading({ kind }: Part): boolean {
  return kind === 'allgather' || kind === 'broadcast';
}

function* proposalsFor(problem: Problem, derivation: Derivation): Iterable<Proposal> {
  const name = derivation.name === '' ? 'packed trees' : `packed trees, ${derivation.name}`;
  const dismissed = (reason: string): Proposal => ({ kind: 'dismissed', dismissal: { name, reason } });
  const packings: Packing[] = [];
  for (const part of derivation.parts) {
    const packing = packedFor(problem, part);
    if (packing === undefined) {
      yield dismissed('no tree reaches every chip');
      return;
    }
    packings.push(packing);
  }
  const unit = leastChunks(problem.collective, derivation, packings.map(chunksOf));
  if (problem.chunks !== undefined && problem.chunks % unit !== 0) {
    yield dismissed(`needs a multiple of ${unit} chunks per shard, not ${problem.chunks}`);
    return;
  }
  for (const sharing of sharings) {
    yield { kind: 'candidate', candidate: candidateOf(problem, derivation, packings, sharing, name) };
  }
}

function packedFor({ routes, collective, shouldStop }: Problem, part: Part): Packing | undefined {
  const topology = part.reversed ? transpose(routes.topology) : routes.topology;
  const roots = part.kind === 'broadcast' ? [collective.root] : [...topology.chips.keys()];
  const scaled = scaleToTrees(capacitiesOf(topology).graph, roots, undefined);
  if (scaled === undefined) return undefined;
  const { problem } = removeSwitches(scaled);
  const packed = packTrees(problem, shouldStop);
  return packed === undefined ? undefined : { trees: packed, capacity: problem.graph.capacity };
}

function candidateOf(
  problem: Problem,
  derivation: Derivation,
  packings: readonly Packing[],
  sharing: Sharing,
  name: string,
): Candidate {
  const unit = leastChunks(problem.collective, derivation, packings.map(chunksOf));
  const whole = sharing === 'own' ? name : `${name}, merged`;
  return {
    name: whole,
    origin: { engine: trees.name, schedule: whole },
    build: (multiple) => {
      const target = { ...problem.collective, chunks: (problem.chunks ?? unit) * multiple };
      return assemble(target, derivation, (collective, part) => {
        const packing = packings[derivation.parts.indexOf(part)];
        return scheduleOf(whole, packing, collective, sharing);
      });
    },
  };
}

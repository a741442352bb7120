/**
 * The symmetric engine: on machines that look the same from every chip, one translation-invariant schedule is searched and
 * every rank does the same. On rings, tori, hypercubes and full meshes it takes the fewest steps and moves the fewest bytes
 * over each link that any allgather can.
 */
import { type Collective, keepsRankOrder, messageChunks } from '../../ir/collective.ts';
import { assemble, type Derivation, derivationsOf, leastChunks } from '../derive.ts';
import type { Candidate, Engine, Problem, Proposal } from '../engine.ts';
import { findSymmetry, type SymmetricMachine, turned } from './machine.ts';
import { allgatherVariants, type Variant } from './variants.ts';

export const symmetric: Engine = {
  name: 'symmetric',
  about: 'one schedule that every rank runs shifted, on machines that look the same from every chip',
  propose,
};

function* propose(problem: Problem): Iterable<Proposal> {
  if (problem.algorithm !== undefined) return;
  const { collective, routes } = problem;
  const derivations = derivationsOf(collective.kind).filter(({ parts }) =>
    parts.every(({ kind }) => kind === 'allgather'),
  );
  if (derivations.length === 0) return;
  const dismissed = (reason: string): Proposal => ({ kind: 'dismissed', dismissal: { name: symmetric.name, reason } });
  if (keepsRankOrder(collective)) return yield dismissed('needs an operator that commutes');
  const search = findSymmetry(routes.topology);
  if (!search.found) return yield dismissed(search.reason);
  const operations = collective.ranks * (collective.ranks - 1) * 2;
  if (operations > problem.limits.operations) {
    return yield dismissed(
      `${operations} operations are more than the limit operations = ${problem.limits.operations}`,
    );
  }
  for (const derivation of derivations) yield* candidatesFor(problem, search.machine, derivation);
}

function* candidatesFor(problem: Problem, machine: SymmetricMachine, derivation: Derivation): Iterable<Proposal> {
  const { collective, chunks, seed } = problem;
  const shards = chunks === undefined ? undefined : messageChunks({ ...collective, chunks }) / collective.ranks;
  if (shards !== undefined && !Number.isInteger(shards)) {
    const reason = `needs a multiple of ${collective.ranks} chunks, not ${chunks}`;
    yield { kind: 'dismissed', dismissal: { name: symmetric.name, reason } };
    return;
  }
  for (const variant of allgatherVariants(machine, shards, seed)) {
    yield { kind: 'candidate', candidate: candidateOf(problem, machine, derivation, variant) };
  }
}

function candidateOf(
  { collective, chunks }: Problem,
  machine: SymmetricMachine,
  derivation: Derivation,
  variant: Variant,
): Candidate {
  const backwards = turned(machine);
  const least = leastChunks(
    collective,
    derivation,
    derivation.parts.map(() => variant.chunks),
  );
  const build = (multiple: number) => {
    const target: Collective = { ...collective, chunks: (chunks ?? least) * multiple };
    return assemble(target, derivation, (part, { reversed }) => variant.make(reversed ? backwards : machine, part));
  };
  const origin = { engine: symmetric.name, schedule: variant.name, shape: machine.group.shape };
  return { name: `symmetric (${variant.name})`, origin, build };
}

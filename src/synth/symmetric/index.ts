/**
 * The symmetric engine: on machines that look the same from every chip, one translation-invariant schedule is searched and
 * every rank does the same. On rings, tori, hypercubes and full meshes it takes the fewest steps and moves the fewest bytes
 * over each link that any allgather can.
 */
import { keepsRankOrder, messageChunks } from '../../ir/collective.ts';
import type { PlanOrigin } from '../../ir/plan.ts';
import { assemble, type Derivation, derivationsOf, leastChunks } from '../derive.ts';
import { type Candidate, dismissed, type Engine, type Problem, type Proposal } from '../engine.ts';
import { findSymmetry, type SymmetricMachine, turned } from './machine.ts';
import { allgatherVariants, alltoallVariants, type Variant } from './variants.ts';

export const symmetric: Engine = {
  name: 'symmetric',
  holdsBack: true,
  promise: () => ({ part: 0.95, work: 500 }),
  about: 'one schedule that every rank runs shifted, on machines that look the same from every chip',
  propose,
};

function* propose(problem: Problem): Iterable<Proposal> {
  if (problem.algorithm !== undefined) return;
  const { collective, routes, limits } = problem;
  const derivations = derivationsOf(collective.kind).filter(isMadeOfExchanges);
  if (derivations.length === 0) return;
  if (keepsRankOrder(collective)) return yield dismissed(symmetric.name, 'needs an operator that commutes');
  const search = findSymmetry(routes.topology);
  if (!search.found) return yield dismissed(symmetric.name, search.reason);
  const operations = 2 * collective.ranks * (collective.ranks - 1);
  if (operations > limits.operations) {
    return yield dismissed(
      symmetric.name,
      `${operations} operations are more than the limit operations = ${limits.operations}`,
    );
  }
  for (const derivation of derivations) yield* candidatesFor(problem, search.machine, derivation);
}

function originOf(schedule: string, { group }: SymmetricMachine): PlanOrigin {
  return { engine: symmetric.name, schedule, shape: group.shape };
}

/** Collectives with a root are not the same for all ranks. */
function isMadeOfExchanges({ parts }: Derivation): boolean {
  return parts.every(({ kind }) => kind === 'allgather' || kind === 'alltoall');
}

function* candidatesFor(problem: Problem, machine: SymmetricMachine, derivation: Derivation): Iterable<Proposal> {
  const { collective, chunks } = problem;
  const shard = chunks === undefined ? undefined : messageChunks({ ...collective, chunks }) / collective.ranks;
  if (shard !== undefined && !Number.isInteger(shard)) {
    return yield dismissed(symmetric.name, `needs a multiple of ${collective.ranks} chunks, not ${chunks}`);
  }
  const variants =
    collective.kind === 'alltoall' ? alltoallVariants(machine) : allgatherVariants(machine, problem.seed, shard);
  if (variants.length === 0) {
    const needs =
      collective.kind === 'alltoall'
        ? 'links along the axes of a machine that is not too large'
        : 'as many ports as links, and bandwidths that are small multiples of the least';
    yield dismissed(symmetric.name, `needs ${needs}`);
  }
  for (const variant of variants) {
    const name = `symmetric (${variant.name})`;
    if (shard !== undefined && shard % variant.chunks !== 0) {
      yield dismissed(name, `needs a multiple of ${variant.chunks} chunks per shard, not ${shard}`);
    } else {
      yield { kind: 'candidate', candidate: candidateOf(name, problem, machine, derivation, variant) };
    }
  }
}

function candidateOf(
  name: string,
  { collective, chunks }: Problem,
  machine: SymmetricMachine,
  derivation: Derivation,
  variant: Variant,
): Candidate {
  const backwards = turned(machine);
  const units = derivation.parts.map(() => variant.chunks);
  const least = chunks ?? leastChunks(collective, derivation, units);
  const asOne = collective.kind === 'allgather' && collective.counts === undefined;
  const build = (multiple: number) =>
    assemble({ ...collective, chunks: least * multiple }, derivation, (part, { reversed }) =>
      variant.make(reversed ? backwards : machine, part, asOne),
    );
  return { name, origin: originOf(variant.name, machine), build };
}

/**
 * The symmetric engine: on machines that look the same from every chip (Cayley graphs of abelian groups), it searches
 * one translation-invariant schedule that all ranks run, shifted. On rings, tori, hypercubes and full meshes it has the
 * fewest steps and the fewest bytes per link of any allgather. Linear in ranks · chunks · links per chip. Limits: chips
 * without switches; allgather, alltoall and what is derived from them.
 */
import { type Collective, combinesInRankOrder, messageChunks } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { greatestCommonDivisor } from '../../ir/whole-numbers.ts';
import { assembleSchedule, type Derivation, derivationsOf, minChunksPerShard } from '../derive.ts';
import { type Candidate, dismissed, type Engine, type Problem, type Proposal } from '../engine.ts';
import { maxCapacityRatio } from '../limits.ts';
import { alongAxes, axesOf, partsFor } from './axis-paths.ts';
import { findSymmetry, type SymmetricMachine, transposedMachine } from './machine.ts';
import { layerRounds, searchOutTrees, unitsInAll } from './out-tree.ts';
import { exchanged, rotated } from './shifted.ts';

/** Allgathers with more message pieces are skipped if one with fewer is within a per cent. */
const mostPieces = 150_000;
/**
 * Alltoalls with more hops are skipped to save memory: 256 ranks have 1.05 million on a torus and 2.1 million on a
 * hypercube. The limit is higher than for allgathers, since no other alltoall is nearly as good there.
 */
const mostHops = 2_200_000;

export const symmetricEngine: Engine = {
  name: 'symmetric',
  holdsBack: true,
  estimate: () => ({ boundShare: 0.95, work: 500 }),
  about: 'one schedule that every rank runs shifted, on machines that look the same from every chip',
  propose,
};

function* propose(problem: Problem): Iterable<Proposal> {
  if (problem.algorithm !== undefined) return;
  const { collective, routes, limits } = problem;
  const derivations = derivationsOf(collective.kind).filter(isMadeOfExchanges);
  if (derivations.length === 0) return;
  if (combinesInRankOrder(collective)) return yield dismissed(symmetricEngine.name, 'needs an operator that commutes');
  const search = findSymmetry(routes.topology);
  if (!search.found) return yield dismissed(symmetricEngine.name, search.reason);
  const operations = 2 * collective.ranks * (collective.ranks - 1);
  if (operations > limits.operations) {
    const reason = `${operations} operations are more than the limit operations = ${limits.operations}`;
    return yield dismissed(symmetricEngine.name, reason);
  }
  for (const derivation of derivations) yield* candidatesFor(problem, search.machine, derivation);
}

/** Collectives with a root are not symmetric. */
function isMadeOfExchanges({ parts }: Derivation): boolean {
  return parts.every(({ kind }) => kind === 'allgather' || kind === 'alltoall');
}

function* candidatesFor(problem: Problem, machine: SymmetricMachine, derivation: Derivation): Iterable<Proposal> {
  const { collective, chunks } = problem;
  const shard = chunks === undefined ? undefined : messageChunks({ ...collective, chunks }) / collective.ranks;
  if (shard !== undefined && !Number.isInteger(shard)) {
    return yield dismissed(symmetricEngine.name, `needs a multiple of ${collective.ranks} chunks, not ${chunks}`);
  }
  const isAlltoall = collective.kind === 'alltoall';
  const variants = isAlltoall ? alltoallVariants(machine) : allgatherVariants(machine, problem.seed, shard);
  if (variants.length === 0) {
    const needs = isAlltoall
      ? 'links along the axes of a machine that is not too large'
      : 'as many ports as links, and bandwidths that are small multiples of the least';
    yield dismissed(symmetricEngine.name, `needs ${needs}`);
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
  const backwards = transposedMachine(machine);
  const units = derivation.parts.map(() => variant.chunks);
  const least = chunks ?? minChunksPerShard(collective, derivation, units);
  const asOne = collective.kind === 'allgather' && collective.counts === undefined;
  const build = (multiple: number) =>
    assembleSchedule({ ...collective, chunks: least * multiple }, derivation, (part, { reversed }) =>
      variant.make(reversed ? backwards : machine, part, asOne),
    );
  return { name, origin: { engine: symmetricEngine.name, schedule: variant.name, shape: machine.group.shape }, build };
}

/** A variant exists for every symmetric machine, so that a reversed part can be built on the transposed machine. */
interface Variant {
  readonly name: string;
  /** C must be a multiple of this. */
  readonly chunks: number;
  /** @param asOne for allgathers: all ranks run one program, shifted; otherwise passes process the schedule further */
  make(machine: SymmetricMachine, collective: Collective, asOne: boolean): Schedule;
}

/**
 * Variants of allgathers, those with few and short messages first; none if chips cannot use all their links at once, or
 * links differ too much.
 * @param given C; if absent, 1 and the number that divides evenly over the links are tried
 */
function allgatherVariants({ group, generators, ports }: SymmetricMachine, seed: number, given?: number): Variant[] {
  if (ports < generators.length || generators.some(({ units }) => units > maxCapacityRatio)) return [];
  // Rounds by layers suit equal links; with unequal ones, some would have more to carry at first than they can.
  const isEven = generators.every(({ units }) => units === 1);
  // The smallest C for which (N − 1)·C chunks divide evenly over the unit links of a chip.
  const units = unitsInAll(generators);
  const even = units / greatestCommonDivisor(group.order - 1, units);
  const variant = (way: string, chunks: number, roundsFor: typeof layerRounds): Variant => ({
    name: chunks === 1 ? way : `${way} in ${chunks} parts`,
    chunks,
    make: (machine, collective, asOne) => {
      const rounds = roundsFor(machine.group, machine.generators, chunks);
      const trees = searchOutTrees(machine.group, machine.generators, chunks, seed, rounds);
      return rotated(collective, machine, trees, chunks, asOne);
    },
  });
  return chunkChoices(group.order, even, given).flatMap((chunks) => [
    variant('few steps', chunks, layerRounds),
    ...(isEven ? [] : [variant('small messages', chunks, () => [])]),
  ]);
}

/** Numbers of trees to try; they divide the given C, for which the user may accept a longer search. */
function chunkChoices(ranks: number, even: number, given: number | undefined): readonly number[] {
  const pieces = (chunks: number): number => ranks * (ranks - 1) * chunks;
  if (given === undefined) return pieces(even) <= mostPieces && even > 1 ? [1, even] : [1];
  const wanted = given % even === 0 ? even : given;
  return [pieces(wanted) <= 2 * mostPieces ? wanted : 1];
}

/** The alltoall axis by axis, if the machine's links go along axes. */
function alltoallVariants({ group, generators }: SymmetricMachine): Variant[] {
  const axes = axesOf(group, generators);
  if (axes === undefined) return [];
  const routes = alongAxes(group, axes, partsFor(axes));
  const hops = routes.stages.reduce((sum, { hops: all }) => all.reduce((total, more) => total + more, sum), 0);
  if (hops * group.order > mostHops) return [];
  const make: Variant['make'] = (machine, collective) => exchanged(collective, machine, routes);
  return [{ name: 'axis by axis', chunks: routes.parts, make }];
}

/**
 * The symmetric engine: on machines that look the same from every chip, one translation-invariant schedule is searched and
 * every rank does the same. On rings, tori, hypercubes and full meshes it takes the fewest steps and moves the fewest bytes
 * over each link that any allgather can.
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

/** Allgathers of more pieces of messages than this are left out where one with fewer is nearly as good: it is within a per cent. */
const mostPieces = 150_000;
/**
 * Alltoalls of more hops than this are left out, for memory: 256 ranks have 1.05 million on a torus and 2.1 million on a hypercube.
 * No other alltoall is nearly as good there, so that its limit is not that of allgathers.
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

/** Collectives with a root are not the same for all ranks. */
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

/** One way; it exists for every symmetric machine, so that a reversed part can be made on the machine turned round. */
interface Variant {
  readonly name: string;
  /** C must be a multiple of this. */
  readonly chunks: number;
  /** @param asOne of an allgather: all ranks are to run one program, shifted; else passes go on with the schedule */
  make(machine: SymmetricMachine, collective: Collective, asOne: boolean): Schedule;
}

/**
 * Allgathers, those with few and short messages first; none where chips cannot use all their links at once, or links differ too much.
 *
 * @param given C; without it 1 and the number that divides evenly over the links are tried
 */
function allgatherVariants({ group, generators, ports }: SymmetricMachine, seed: number, given?: number): Variant[] {
  if (ports < generators.length || generators.some(({ units }) => units > maxCapacityRatio)) return [];
  // Rounds by layers suit links that are all alike; with others, some have more to carry at first than they can.
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

/** Numbers of trees that are worth trying; they divide a given C, for which somebody may be ready to wait longer. */
function chunkChoices(ranks: number, even: number, given: number | undefined): readonly number[] {
  const pieces = (chunks: number): number => ranks * (ranks - 1) * chunks;
  if (given === undefined) return pieces(even) <= mostPieces && even > 1 ? [1, even] : [1];
  const wanted = given % even === 0 ? even : given;
  return [pieces(wanted) <= 2 * mostPieces ? wanted : 1];
}

/** The alltoall axis by axis, where the machine has axes that its links go along. */
function alltoallVariants({ group, generators }: SymmetricMachine): Variant[] {
  const axes = axesOf(group, generators);
  if (axes === undefined) return [];
  const routes = alongAxes(group, axes, partsFor(axes));
  const hops = routes.stages.reduce((sum, { hops: all }) => all.reduce((total, more) => total + more, sum), 0);
  if (hops * group.order > mostHops) return [];
  const make: Variant['make'] = (machine, collective) => exchanged(collective, machine, routes);
  return [{ name: 'axis by axis', chunks: routes.parts, make }];
}

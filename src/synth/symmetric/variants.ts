/** The ways in which the engine makes allgathers and alltoalls on a symmetric machine. */
import type { Collective } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { greatestCommonDivisor } from '../../ir/whole-numbers.ts';
import { mostUnits } from '../limits.ts';
import { axesOf, axisPaths, partsFor } from './axis-paths.ts';
import { distancesOn } from './distances.ts';
import { exchanged } from './exchange.ts';
import { layerRounds } from './layer-rounds.ts';
import { limits } from './limits.ts';
import type { SymmetricMachine } from './machine.ts';
import { type Generator, type OutTrees, searchOutTrees } from './out-tree.ts';
import { rotated } from './rotate.ts';
import { unitsOf } from './units.ts';

/** One way; it exists for every symmetric machine, so that a reversed part can be made on the machine turned round. */
export interface Variant {
  readonly name: string;
  /** C must be a multiple of this. */
  readonly chunks: number;
  /** @param asOne of an allgather: all ranks are to run one program, shifted; else passes go on with the schedule */
  make(machine: SymmetricMachine, collective: Collective, asOne: boolean): Schedule;
}

/**
 * The variants for a machine, those with few and short messages first; none where chips cannot use all their links at once, or links differ too much.
 *
 * @param given C; without it 1 and the number that divides evenly over the links are tried
 */
export function allgatherVariants(
  machine: SymmetricMachine,
  seed: number,
  given: number | undefined,
): readonly Variant[] {
  const generators = unitsOf(machine);
  if (machine.ports < generators.length || generators.some(({ units }) => units > mostUnits)) return [];
  // Rounds by layers suit links that are all alike; with others, some have more to carry at first than they can.
  const isEven = generators.every(({ units }) => units === 1);
  return chunkChoices(machine.group.order, generators, given).flatMap((chunks) => {
    const few = variant('few steps', chunks, (group, links) =>
      searchOutTrees(group, links, chunks, seed, roundsFor(group, links, chunks)),
    );
    const small = variant('small messages', chunks, (group, links) => searchOutTrees(group, links, chunks, seed));
    return isEven ? [few] : [few, small];
  });
}

function roundsFor(group: TranslationGroup, generators: readonly Generator[], chunks: number): readonly number[] {
  const offsets = generators.map(({ offset }) => offset);
  return layerRounds(distancesOn(group, offsets), generators, chunks);
}

/** The variant for an alltoall, where the machine has axes that its links go along. */
export function alltoallVariants(machine: SymmetricMachine): readonly Variant[] {
  const { group, generators } = machine;
  const offsets = generators.map(({ offset }) => offset);
  const axes = axesOf(group, offsets);
  if (axes === undefined) return [];
  const parts = partsFor(axes);
  const hops = axisPaths(group, axes, parts);
  if (hops.length * group.order > limits.hops) return [];
  const make = (_: SymmetricMachine, collective: Collective): Schedule => exchanged(collective, machine, hops, parts);
  return [{ name: 'axis by axis', chunks: parts, make }];
}

/** Numbers of trees that are worth trying; they divide a given C, for which somebody may be ready to wait longer. */
function chunkChoices(ranks: number, generators: readonly Generator[], given: number | undefined): readonly number[] {
  const even = evenChunks(ranks, generators);
  const pieces = (chunks: number): number => ranks * (ranks - 1) * chunks;
  if (given === undefined) return pieces(even) <= limits.pieces && even > 1 ? [1, even] : [1];
  const wanted = given % even === 0 ? even : given;
  return [pieces(wanted) <= 2 * limits.pieces ? wanted : 1];
}

/** The smallest C for which (N − 1)·C chunks divide evenly over the unit links of a chip. */
function evenChunks(ranks: number, generators: readonly Generator[]): number {
  const units = generators.reduce((sum, generator) => sum + generator.units, 0);
  return units / greatestCommonDivisor(ranks - 1, units);
}

function variant(
  name: string,
  chunks: number,
  search: (group: TranslationGroup, generators: readonly Generator[]) => OutTrees,
): Variant {
  return {
    name: chunks === 1 ? name : `${name} in ${chunks} parts`,
    chunks,
    make: (machine, collective, asOne) => {
      const generators = unitsOf(machine);
      return rotated(collective, machine, search(machine.group, generators), chunks, asOne);
    },
  };
}

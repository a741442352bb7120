/** The ways in which the engine makes an allgather on a symmetric machine. */
import type { Collective } from '../../ir/collective.ts';
import type { Schedule } from '../../ir/schedule.ts';
import { greatestCommonDivisor } from '../../ir/whole-numbers.ts';
import { distancesOn } from './distances.ts';
import { growingTree } from './growing-tree.ts';
import { layerRounds } from './layer-rounds.ts';
import type { SymmetricMachine } from './machine.ts';
import { type Generator, type OutTrees, searchOutTrees } from './out-tree.ts';
import { rotated } from './rotate.ts';
import { unitsOf } from './units.ts';

/** One way; it exists for every symmetric machine, so that a reversed part can be made on the machine turned round. */
export interface Variant {
  readonly name: string;
  /** C must be a multiple of this. */
  readonly chunks: number;
  make(machine: SymmetricMachine, collective: Collective): Schedule;
}

/**
 * The variants for a machine, those with few and short messages first.
 *
 * @param chunks C if it is given; else 1 and the number that divides evenly over the links are tried
 */
export function allgatherVariants(
  machine: SymmetricMachine,
  chunks: number | undefined,
  seed: number,
): readonly Variant[] {
  const generators = unitsOf(machine);
  if (machine.ports < generators.length) {
    return [variant('growing', 1, (group, links) => growingTree(group, links, machine.ports))];
  }
  const evenly = evenChunks(machine.group.order, generators);
  const choices = chunks === undefined ? [1, evenly] : [1, evenly, chunks].filter((choice) => chunks % choice === 0);
  return [...new Set(choices)].flatMap((choice) => [
    variant('few steps', choice, (group, links) => {
      const distance = distancesOn(
        group,
        links.map(({ offset }) => offset),
      );
      return searchOutTrees(group, links, choice, seed, layerRounds(distance, links, choice));
    }),
    variant('small messages', choice, (group, links) => searchOutTrees(group, links, choice, seed)),
  ]);
}

/** The smallest C for which (N − 1)·C chunks divide evenly over the unit links of a chip. */
function evenChunks(ranks: number, generators: readonly Generator[]): number {
  const units = generators.reduce((sum, generator) => sum + generator.units, 0);
  return units / greatestCommonDivisor(ranks - 1, units);
}

function variant(
  name: string,
  chunks: number,
  search: (group: SymmetricMachine['group'], generators: readonly Generator[]) => OutTrees,
): Variant {
  return {
    name: chunks === 1 ? name : `${name}, ${chunks} parts`,
    chunks,
    make: (machine, collective) => {
      const generators = unitsOf(machine);
      return rotated(collective, machine.group, generators, search(machine.group, generators), chunks);
    },
  };
}

/** Integer programs whose solutions are the schedules of one instance. */

import type { LinearModel } from '../../solver/index.ts';
import { Moves } from '../list/spread.ts';
import { type Instance, startsOf } from './instance.ts';
import { namedMoves } from './named-units.ts';
import { everyone, partsOf, type SumMoves, setImage } from './sums.ts';
import type { Renumbering } from './symmetry.ts';
import { type Item, Unrolled } from './unrolled.ts';

export interface InstanceModel<Solution> {
  readonly model: LinearModel;
  /** What a solution of the model stands for. */
  solutionOf(values: Float64Array): Solution;
}

/** Chunks that go whole, as they must, or may be divided: where that is impossible, so are schedules. */
export type Chunking = 'whole' | 'divided';

/** So many whole chunks that can be copied, and that all ranks want. */
export function copied(start: number, chunking: Chunking = 'whole'): Item {
  return { start, amount: 1, wanted: () => 1, whole: chunking === 'whole', gone: false, parts: [] };
}

/** Allgather and broadcast: every rank gets every chunk once. */
export function spreadModel(instance: Instance, symmetry: readonly Renumbering[]): InstanceModel<Moves> {
  const { kind, machine, chunks, steps } = instance;
  const unrolled = new Unrolled(instance, symmetry);
  const starts = startsOf(instance, symmetry);
  for (const start of starts) for (let c = 0; c < chunks; c++) unrolled.add([copied(start)]);
  return {
    model: unrolled.build(),
    solutionOf: (values) => {
      const chosen = unrolled.chosen(values).map(({ image, item, ...where }) => {
        const start = image.ranks[starts[Math.floor(item / chunks)]];
        return { ...where, item: (kind === 'broadcast' ? 0 : start * chunks) + (item % chunks) };
      });
      chosen.sort((a, b) => a.step - b.step || a.way - b.way || a.item - b.item);
      const moves = new Moves(true);
      for (let step = 0; step < steps; step++) {
        for (const { way, item } of chosen.filter((sending) => sending.step === step)) {
          moves.add(machine.ways[way].from, machine.ways[way].to, item);
        }
        moves.endStep(values[unrolled.rounds[step]]);
      }
      return moves;
    },
  };
}

/** Scatter and alltoall: the chunks of one source are counted, and get their names afterwards. Fewest hops in all lead the search. */
export function routedModel(
  instance: Instance,
  symmetry: readonly Renumbering[],
  chunking: Chunking,
): InstanceModel<Moves> {
  const { machine, chunks } = instance;
  const unrolled = new Unrolled(instance, symmetry);
  const starts = startsOf(instance, symmetry);
  const item = { amount: chunks * machine.ranks, wanted: () => chunks, whole: chunking === 'whole', gone: true };
  for (const start of starts) unrolled.add([{ ...item, start, parts: [] }]);
  return {
    model: unrolled.build(),
    solutionOf: (values) => {
      const key = (source: number, way: number, step: number): string => `${source} ${way} ${step}`;
      const counts = new Map(
        unrolled
          .chosen(values)
          .map(({ image, item: source, way, step, amount }) => [key(image.ranks[starts[source]], way, step), amount]),
      );
      const sent = (source: number, way: number, step: number): number => counts.get(key(source, way, step)) ?? 0;
      return namedMoves(
        instance,
        sent,
        unrolled.rounds.map((column) => values[column]),
      );
    },
  };
}

/**
 * Allreduce: sums of a chunk over sets of ranks go over ways, and a rank has a sum if it had it before, if it came in, or if it has two
 * disjoint ones that make it up; everyone has the sum over all ranks in the end. Only what is sent must be whole: more than 0 or 1 of what a
 * rank has never hurts.
 *
 * @param symmetry as many renumberings as divide C: chunks go with the ranks, in blocks
 */
export function sumsModel(instance: Instance, symmetry: readonly Renumbering[]): InstanceModel<SumMoves> {
  const { machine, chunks } = instance;
  const unrolled = new Unrolled(instance, symmetry);
  const all = everyone(machine.ranks);
  const items = Array.from({ length: all }, (_, index): Item => {
    const set = index + 1;
    const start = Number.isInteger(Math.log2(set)) ? Math.log2(set) : undefined;
    const parts = partsOf(set).map(([one, other]) => [one - 1, other - 1] as const);
    return { start, amount: 1, wanted: () => (set === all ? 1 : 0), whole: true, gone: false, parts };
  });
  for (let block = 0; block < chunks / symmetry.length; block++) unrolled.add(items);
  return {
    model: unrolled.build(),
    solutionOf: (values) => ({
      sent: unrolled.chosen(values).map(({ image, item, way, step }) => ({
        // Chunk k of a block goes with the k-th renumbering.
        chunk: Math.floor(item / all) * symmetry.length + symmetry.indexOf(image),
        set: setImage((item % all) + 1, image.ranks),
        way,
        step,
      })),
      rounds: unrolled.rounds.map((column) => values[column]),
    }),
  };
}

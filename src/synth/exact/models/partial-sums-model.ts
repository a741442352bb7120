/**
 * Allreduce as an integer program: x[c, A, w, s] = 1 where the sum of chunk c over the ranks A goes over way w in step s. A rank has a sum
 * if it had it before, if it came in, or if it has two disjoint ones that make it up; everyone has the sum over all ranks in the end.
 *
 * Only x must be whole: with x given, the most that rows allow a rank to have is 0 or 1, and more never hurts.
 */
import { ModelBuilder } from '../../solver/index.ts';
import type { Instance } from '../instance.ts';
import { canHave, everyone, partsOf, type SumMoves, setImage } from '../sums/partial-sums.ts';
import type { Renumbering } from '../symmetry.ts';
import type { InstanceModel } from './instance-model.ts';
import { addCapacities, addRounds } from './model-capacities.ts';
import { ModelColumns } from './model-columns.ts';
import type { Chunking } from './routed-model.ts';

/**
 * The model; where chunks may be divided, one chunk stands for the mean of all.
 * @param symmetry a free group: chunks go with the ranks, in blocks of as many as it has elements
 */
export function partialSumsModel(
  instance: Instance,
  chunking: Chunking,
  symmetry: readonly Renumbering[],
): InstanceModel<SumMoves> {
  const { machine, steps } = instance;
  const chunks = chunking === 'whole' ? instance.chunks : 1;
  const builder = new ModelBuilder();
  const rounds = addRounds(builder, instance);
  const columns = new ModelColumns(instance);
  const names = new Items(machine.ranks);
  /** What every rank has of its own. */
  const given = builder.column({ lower: 1, upper: 1, whole: false });
  for (let chunk = 0; chunk < chunks; chunk++) {
    addChunk(builder, instance, given, columns, chunking === 'whole', (set, part) => names.item(chunk, set, part));
  }
  addCapacities(builder, instance, columns, rounds, instance.chunks / chunks);
  const model = builder.build();
  const chunkImage = (chunk: number, renumbering: Renumbering): number | undefined => {
    if (chunking === 'divided') return chunk;
    if (chunks % symmetry.length !== 0) return undefined;
    // Chunk k of a block goes with the image of rank 0 under the k-th element.
    const [block, k] = [Math.floor(chunk / symmetry.length), chunk % symmetry.length];
    const image = renumbering.ranks[symmetry[k].ranks[0]];
    return block * symmetry.length + symmetry.findIndex(({ ranks }) => ranks[0] === image);
  };
  return {
    model,
    columnImages: (renumbering) => {
      if (chunkImage(0, renumbering) === undefined) return undefined;
      return columns.images(model.columns, renumbering, (item) => {
        const { chunk, set, part } = names.of(item);
        const [setTo, partTo] = [setImage(set, renumbering.ranks), setImage(part, renumbering.ranks)];
        const greater = part === 0 ? 0 : Math.max(partTo, setTo ^ partTo);
        return names.item(chunkImage(chunk, renumbering) ?? chunk, setTo, greater);
      });
    },
    solutionOf: (values) => ({
      sent: [...columns.of('sent')]
        .filter(({ column }) => values[column] === 1)
        .map(({ item, place, step }) => ({ ...names.of(item), way: place, step })),
      rounds: Array.from({ length: steps }, (_, step) => values[rounds[step]]),
    }),
  };
}

/** What columns call an item: a chunk's sum over a set of ranks; and where it is made up of two parts, the greater of them, else 0. */
class Items {
  private readonly sets: number;

  constructor(ranks: number) {
    this.sets = 2 ** ranks;
  }

  item(chunk: number, set: number, part = 0): number {
    return (chunk * this.sets + set) * this.sets + part;
  }

  of(item: number): { readonly chunk: number; readonly set: number; readonly part: number } {
    const rest = Math.floor(item / this.sets);
    return { chunk: Math.floor(rest / this.sets), set: rest % this.sets, part: item % this.sets };
  }
}

/** Columns for the sums of one chunk that are sent, that ranks have after each step, and that are made up there. */
function addChunk(
  builder: ModelBuilder,
  { machine, steps }: Instance,
  given: number,
  columns: ModelColumns,
  whole: boolean,
  itemOf: (set: number, part?: number) => number,
): void {
  const { ranks, ways } = machine;
  const all = everyone(ranks);
  const has = Array.from({ length: ranks }, (_, rank) => new Map([[1 << rank, given]]));
  for (let step = 0; step < steps; step++) {
    /** `coming[rank]`: the columns that bring each set. */
    const coming = has.map(() => new Map<number, number[]>());
    for (const [way, { from, to }] of ways.entries()) {
      for (const [set, held] of has[from]) {
        if (set === 1 << to) continue;
        const column = builder.column({ lower: 0, upper: 1, whole });
        columns.set(column, { what: 'sent', item: itemOf(set), place: way, step });
        builder.row(Number.NEGATIVE_INFINITY, 0);
        builder.add(column, 1);
        builder.add(held, -1);
        const known = coming[to].get(set);
        if (known === undefined) coming[to].set(set, [column]);
        else known.push(column);
      }
    }
    for (let rank = 0; rank < ranks; rank++) {
      const before = new Map(has[rank]);
      // Smaller sets first: larger ones are made of them.
      for (let set = 1; set <= all; set++) {
        if (set === 1 << rank || !canHave(machine, rank, set, step + 1)) continue;
        const isLast = step === steps - 1 && set === all;
        const column = builder.column({ lower: isLast ? 1 : 0, upper: 1, whole: false });
        columns.set(column, { what: 'held', item: itemOf(set), place: rank, step });
        const made = partsOf(set).flatMap((parts) => {
          const sum = addMade(builder, parts, has[rank]);
          if (sum === undefined) return [];
          columns.set(sum, { what: 'made', item: itemOf(set, parts[0]), place: rank, step });
          return [sum];
        });
        builder.row(Number.NEGATIVE_INFINITY, 0);
        builder.add(column, 1);
        const earlier = before.get(set);
        for (const source of [...(earlier === undefined ? [] : [earlier]), ...(coming[rank].get(set) ?? []), ...made]) {
          builder.add(source, -1);
        }
        has[rank].set(set, column);
      }
    }
  }
}

/** A column for a sum that is made up of two; none if one of them cannot be there. */
function addMade(
  builder: ModelBuilder,
  parts: readonly [number, number],
  has: ReadonlyMap<number, number>,
): number | undefined {
  const [one, other] = parts.map((part) => has.get(part));
  if (one === undefined || other === undefined) return undefined;
  const column = builder.column({ lower: 0, upper: 1, whole: false });
  for (const part of [one, other]) {
    builder.row(Number.NEGATIVE_INFINITY, 0);
    builder.add(column, 1);
    builder.add(part, -1);
  }
  return column;
}

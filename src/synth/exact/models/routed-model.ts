/**
 * Scatter and alltoall as an integer program: the chunks of one source are a commodity, x[k, w, s] of them go over way w in step
 * s, and a rank sends no more than it had before the step. Fewest hops in all is the objective: it leads the search.
 */
import type { Moves } from '../../list/spread.ts';
import { ModelBuilder } from '../../solver/index.ts';
import type { Instance } from '../instance.ts';
import { namedMoves } from '../named-units.ts';
import type { InstanceModel } from './instance-model.ts';
import { addCapacities, addRounds } from './model-capacities.ts';
import { ModelColumns } from './model-columns.ts';

/** Whether chunks go whole, as they must, or may be divided: where that is impossible, so are schedules. */
export type Chunking = 'whole' | 'divided';

/** The model; its solutions with whole chunks are the schedules of the instance, but for the names of the chunks. */
export function routedModel(instance: Instance, chunking: Chunking): InstanceModel<Moves> {
  const { machine, kind, root } = instance;
  const builder = new ModelBuilder();
  const rounds = addRounds(builder, instance);
  const columns = new ModelColumns(instance);
  const sources = kind === 'scatter' ? [root] : Array.from({ length: machine.ranks }, (_, rank) => rank);
  for (const source of sources) addCommodity(builder, instance, source, columns, chunking);
  addCapacities(builder, instance, columns, rounds);
  const model = builder.build();
  return {
    model,
    columnImages: (renumbering) => columns.images(model.columns, renumbering, (source) => renumbering.ranks[source]),
    solutionOf: (values) => {
      const sent = (source: number, way: number, step: number): number => {
        const column = columns.get({ what: 'sent', item: source, place: way, step });
        return column === undefined ? 0 : values[column];
      };
      const roundsOf = rounds.map((column) => values[column]);
      return namedMoves(instance, sources, sent, roundsOf);
    },
  };
}

/** The chunks of one source: columns for what is sent and for what every rank has before each step, and rows that link them. */
function addCommodity(
  builder: ModelBuilder,
  { machine, chunks, steps }: Instance,
  source: number,
  columns: ModelColumns,
  chunking: Chunking,
): void {
  const { ranks, ways, distance } = machine;
  const all = chunks * ranks;
  let held: (number | undefined)[] = Array.from({ length: ranks }, (_, rank) =>
    rank === source ? builder.column({ lower: all, upper: all, whole: false }) : undefined,
  );
  for (let step = 0; step < steps; step++) {
    const sent: number[][] = held.map(() => []);
    const came: number[][] = held.map(() => []);
    ways.forEach(({ from, to }, way) => {
      // Chunks do not come back to their source, and are nowhere sooner than they can get there.
      if (to === source || distance[source][from] > step) return;
      const column = builder.column({ lower: 0, upper: all, whole: chunking === 'whole', cost: 1 });
      sent[from].push(column);
      came[to].push(column);
      columns.set(column, { what: 'sent', item: source, place: way, step });
    });
    const next = [...held];
    for (let rank = 0; rank < ranks; rank++) {
      const before = held[rank];
      if (before !== undefined && sent[rank].length > 0) {
        builder.row(Number.NEGATIVE_INFINITY, 0);
        for (const column of sent[rank]) builder.add(column, 1);
        builder.add(before, -1);
      }
      if (before === undefined && came[rank].length === 0) continue;
      const isLast = step === steps - 1;
      const after = builder.column({ lower: isLast ? chunks : 0, upper: isLast ? chunks : all, whole: false });
      columns.set(after, { what: 'held', item: source, place: rank, step });
      builder.row(0, 0);
      builder.add(after, -1);
      if (before !== undefined) builder.add(before, 1);
      for (const column of came[rank]) builder.add(column, 1);
      for (const column of sent[rank]) builder.add(column, -1);
      next[rank] = after;
    }
    held = next;
  }
}

/**
 * Scatter and alltoall as an integer program: the chunks of one source are a commodity, x[k, w, s] of them go over way w in step
 * s, and a rank sends no more than it had before the step. Fewest hops in all is the objective: it leads the search.
 */
import { ModelBuilder } from '../solver/index.ts';
import type { Instance } from './instance.ts';
import { addCapacities, addRounds, type Sending } from './model-capacities.ts';
import type { MoveModel } from './move-model.ts';
import { namedMoves } from './named-units.ts';

/** The model; its solutions are the schedules of the instance, but for the names of the chunks. */
export function routedModel(instance: Instance): MoveModel {
  const { machine, steps, kind, root } = instance;
  const builder = new ModelBuilder();
  const rounds = addRounds(builder, instance);
  const sources = kind === 'scatter' ? [root] : Array.from({ length: machine.ranks }, (_, rank) => rank);
  const sendings: Sending[] = [];
  const columnOf = new Map<number, number>();
  const keyOf = (source: number, way: number, step: number): number =>
    (source * machine.ways.length + way) * steps + step;
  for (const source of sources) {
    addCommodity(builder, instance, source, (way, step, column) => {
      sendings.push({ column, item: source, way, step });
      columnOf.set(keyOf(source, way, step), column);
    });
  }
  addCapacities(builder, instance, sendings, rounds);
  return {
    model: builder.build(),
    movesOf: (values) => {
      const sent = (source: number, way: number, step: number): number => {
        const column = columnOf.get(keyOf(source, way, step));
        return column === undefined ? 0 : values[column];
      };
      return namedMoves(
        instance,
        sources,
        sent,
        [...rounds].map((column) => values[column]),
      );
    },
  };
}

/** The chunks of one source: columns for what is sent and for what every rank has before each step, and rows that link them. */
function addCommodity(
  builder: ModelBuilder,
  { machine, chunks, steps }: Instance,
  source: number,
  onSending: (way: number, step: number, column: number) => void,
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
      const column = builder.column({ lower: 0, upper: all, whole: true, cost: 1 });
      sent[from].push(column);
      came[to].push(column);
      onSending(way, step, column);
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

/**
 * Allgather and broadcast as an integer program. x[c, w, s] = 1 where chunk c goes over way w in step s; every rank gets every
 * chunk exactly once, and sends nothing before a later step than that in which it came; the rounds of the steps share R out.
 */
import type { SpreadKind } from '../../list/problem.ts';
import { Moves, spreadOf } from '../../list/spread.ts';
import { ModelBuilder } from '../../solver/index.ts';
import type { Instance } from '../instance.ts';
import type { InstanceModel } from './instance-model.ts';
import { addCapacities, addRounds } from './model-capacities.ts';
import { ModelColumns } from './model-columns.ts';

type SpreadInstance = Instance & { readonly kind: SpreadKind };

/** The model; its solutions are the schedules of the instance. */
export function spreadModel(instance: SpreadInstance): InstanceModel<Moves> {
  const { kind, machine, root, chunks, steps } = instance;
  const { origin } = spreadOf({ kind, ranks: machine.ranks, root }, chunks);
  const builder = new ModelBuilder();
  const rounds = addRounds(builder, instance);
  const columns = new ModelColumns(instance);
  origin.forEach((start, item) => {
    addItem(builder, instance, { item, start }, columns);
  });
  addCapacities(builder, instance, columns, rounds);
  const model = builder.build();
  return {
    model,
    columnImages: (renumbering) =>
      kind === 'broadcast'
        ? undefined
        : columns.images(
            model.columns,
            renumbering,
            (item) => renumbering.ranks[origin[item]] * chunks + (item % chunks),
          ),
    solutionOf: (values) => {
      const moves = new Moves(true);
      const chosen = [...columns.of('sent')].filter(({ column }) => values[column] === 1);
      for (let step = 0; step < steps; step++) {
        const now = chosen.filter((sending) => sending.step === step);
        for (const { place, item } of now.sort((a, b) => a.place - b.place || a.item - b.item)) {
          moves.add(machine.ways[place].from, machine.ways[place].to, item);
        }
        moves.endStep(values[rounds[step]]);
      }
      return moves;
    },
  };
}

/** One item: columns for its ways and for who has it after each step, and rows that link them. */
function addItem(
  builder: ModelBuilder,
  { machine, steps }: Instance,
  { item, start }: { readonly item: number; readonly start: number },
  columns: ModelColumns,
): void {
  const { ranks, ways, distance } = machine;
  // arrived[rank]: the column of what the rank has of the item before the step; none where that cannot be anything.
  let arrived = new Array<number | undefined>(ranks).fill(undefined);
  for (let step = 0; step < steps; step++) {
    const coming: number[][] = Array.from({ length: ranks }, () => []);
    for (const [way, { from, to }] of ways.entries()) {
      const held = arrived[from];
      if (to === start || (from !== start && held === undefined)) continue;
      const column = builder.column({ lower: 0, upper: 1, whole: true });
      columns.set(column, { what: 'sent', item, place: way, step });
      coming[to].push(column);
      if (held === undefined) continue;
      builder.row(Number.NEGATIVE_INFINITY, 0);
      builder.add(column, 1);
      builder.add(held, -1);
    }
    const next = [...arrived];
    for (let rank = 0; rank < ranks; rank++) {
      if (rank === start || distance[start][rank] > step + 1) continue;
      const has = builder.column({ lower: step === steps - 1 ? 1 : 0, upper: 1, whole: false });
      columns.set(has, { what: 'held', item, place: rank, step });
      builder.row(0, 0);
      builder.add(has, -1);
      const before = arrived[rank];
      if (before !== undefined) builder.add(before, 1);
      for (const column of coming[rank]) builder.add(column, 1);
      next[rank] = has;
    }
    arrived = next;
  }
}

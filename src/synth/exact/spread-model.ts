/**
 * Allgather and broadcast as an integer program. x[c, w, s] = 1 where chunk c goes over way w in step s; every rank gets every
 * chunk exactly once, and sends nothing before a later step than that in which it came; the rounds of the steps share R out.
 */
import { Moves, spreadOf } from '../list/spread.ts';
import { ModelBuilder } from '../solver/index.ts';
import type { Instance } from './instance.ts';
import { addCapacities, addRounds, type Sending } from './model-capacities.ts';
import type { MoveModel } from './move-model.ts';
import type { SpreadKind } from './spread.ts';

/** The model; its solutions are the schedules of the instance. */
export function spreadModel(instance: Instance & { readonly kind: SpreadKind }): MoveModel {
  const { kind, machine, root, chunks, steps } = instance;
  const { origin } = spreadOf({ kind, ranks: machine.ranks, root }, chunks);
  const builder = new ModelBuilder();
  const rounds = addRounds(builder, instance);
  const sendings: Sending[] = [];
  const into: number[][] = Array.from({ length: machine.ranks }, () => []);
  machine.ways.forEach(({ to }, way) => {
    into[to].push(way);
  });
  origin.forEach((start, item) => {
    // arrived[rank]: the column that is 1 where the rank has the item before the step; none where that cannot be.
    let arrived = new Array<number | undefined>(machine.ranks).fill(undefined);
    for (let step = 0; step < steps; step++) {
      const next = [...arrived];
      for (let rank = 0; rank < machine.ranks; rank++) {
        if (rank === start || machine.distance[start][rank] > step + 1) continue;
        const coming: number[] = [];
        for (const way of into[rank]) {
          const { from } = machine.ways[way];
          const held = arrived[from];
          if (from !== start && held === undefined) continue;
          const column = builder.column({ lower: 0, upper: 1, whole: true });
          sendings.push({ column, item, way, step });
          coming.push(column);
          if (held === undefined) continue;
          builder.row(Number.NEGATIVE_INFINITY, 0);
          builder.add(column, 1);
          builder.add(held, -1);
        }
        const last = step === steps - 1;
        const has = builder.column({ lower: last ? 1 : 0, upper: 1, whole: false });
        builder.row(0, 0);
        builder.add(has, -1);
        const before = arrived[rank];
        if (before !== undefined) builder.add(before, 1);
        for (const column of coming) builder.add(column, 1);
        next[rank] = has;
      }
      arrived = next;
    }
  });
  addCapacities(builder, instance, sendings, rounds);
  const movesOf = (values: Float64Array): Moves => {
    const moves = new Moves(true);
    const chosen = sendings.filter(({ column }) => values[column] === 1);
    for (let step = 0; step < steps; step++) {
      for (const { way, item } of chosen
        .filter((sending) => sending.step === step)
        .sort((a, b) => a.way - b.way || a.item - b.item)) {
        moves.add(machine.ways[way].from, machine.ways[way].to, item);
      }
      moves.endStep(values[rounds[step]]);
    }
    return moves;
  };
  return { model: builder.build(), movesOf };
}

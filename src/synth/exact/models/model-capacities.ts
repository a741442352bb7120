/** What the integer programs have in common: rounds for every step, and links that carry no more than these allow. */
import type { ModelBuilder } from '../../solver/index.ts';
import type { Instance } from '../instance.ts';
import type { ModelColumns } from './model-columns.ts';

/**
 * Adds a column for the rounds of each step, one at least, that come to R together; returns the columns.
 * @param whole false if rounds may be divided, too
 */
export function addRounds(builder: ModelBuilder, { steps, rounds }: Instance, whole = true): readonly number[] {
  const most = rounds - steps + 1;
  const columns = Array.from({ length: steps }, () => builder.column({ lower: 1, upper: most, whole }));
  builder.row(rounds, rounds);
  for (const column of columns) builder.add(column, 1);
  return columns;
}

/**
 * Adds a row for each link and step: what goes over it is no more than units · rounds.
 * @param chunksEach chunks that one item stands for
 */
export function addCapacities(
  builder: ModelBuilder,
  { machine, steps }: Instance,
  columns: ModelColumns,
  rounds: readonly number[],
  chunksEach = 1,
): void {
  const crossing = new Map<number, number[]>();
  for (const { column, place: way, step } of columns.of('sent')) {
    for (const link of machine.ways[way].links) {
      const key = link * steps + step;
      const known = crossing.get(key);
      if (known === undefined) crossing.set(key, [column]);
      else known.push(column);
    }
  }
  for (const [key, sent] of crossing) {
    builder.row(Number.NEGATIVE_INFINITY, 0);
    for (const column of sent) builder.add(column, chunksEach);
    builder.add(rounds[key % steps], -machine.units[Math.floor(key / steps)]);
  }
}

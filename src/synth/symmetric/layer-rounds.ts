/**
 * How much each link carries in each step where an allgather takes as few steps as the machine is wide. A chunk may reach
 * what is d links away in step d or later. If the links carry in step d what reaches distance d, rounded so that the
 * steps together carry no more than (N − 1)·C chunks over all links of a chip, the schedule has both the fewest steps and
 * the fewest bytes over each link: no other is faster at any size if messages cost α + n/β.
 */
import type { Generator } from './out-tree.ts';

/** `rounds[step]`: how many times its units each generator carries in the step; as many steps as the greatest distance. */
export function layerRounds(
  distance: Float64Array,
  generators: readonly Generator[],
  chunks: number,
): readonly number[] {
  const width = distance.reduce((most, d) => Math.max(most, d), 0);
  const atDistance = new Array<number>(width + 1).fill(0);
  for (const d of distance) atDistance[d]++;
  const units = generators.reduce((sum, generator) => sum + generator.units, 0);
  const rounds: number[] = [];
  let items = 0;
  let before = 0;
  for (let d = 1; d <= width; d++) {
    items += atDistance[d] * chunks;
    // The last step takes what is left; before, no more than can have come so far.
    const total = d === width ? Math.ceil(items / units) : Math.floor(items / units);
    rounds.push(Math.max(1, total - before));
    before += rounds[d - 1];
  }
  return rounds;
}

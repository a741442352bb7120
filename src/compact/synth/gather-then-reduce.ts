/**
 * The allreduce for small messages on a machine that looks the same from every chip: every rank gathers whole vectors
 * and reduces them locally. If links go along axes, one axis after the other, with one part of the vector starting on
 * each axis; otherwise all ranks at once. In both cases the number of consecutive messages is the diameter.
 */
import type { GatherThenReduce, Generator } from '../../ir/compact.ts';
import { TranslationGroup } from '../../ir/translation-group.ts';
import { type Axis, axesOf } from '../../synth/symmetric/axis-paths.ts';
import { layeredInTree } from './layered-tree.ts';

/**
 * Parts of the vector, with the stages of each; undefined for one rank, and for more than `most` ranks without axes.
 */
export function gatherThenReduceOn(
  group: TranslationGroup,
  generators: readonly Generator[],
  most: number,
): readonly (readonly GatherThenReduce[])[] | undefined {
  const axes = axesOf(group, generators);
  if (axes === undefined || axes.length === 0) {
    if (group.order < 2 || group.order > most) return undefined;
    const rankOf = Int32Array.from({ length: group.order }, (_, rank) => rank);
    const all = { tree: layeredInTree(group, generators, 1), over: generators.map((_, g) => g), rankOf };
    return [[all]];
  }
  const along = axes.map((axis) => alongAxis(axis, generators));
  return axes.map((_, part) => [...along.slice(part), ...along.slice(0, part)]);
}

function alongAxis({ extent, stride, up, down }: Axis, generators: readonly Generator[]): GatherThenReduce {
  const over = up === down ? [up] : [up, down];
  const places = [1, extent - 1].slice(0, over.length);
  const line = over.map((g, i) => ({ ...generators[g], offset: places[i] }));
  const tree = layeredInTree(new TranslationGroup([extent]), line, 1);
  return { tree, over, rankOf: Int32Array.from({ length: extent }, (_, place) => place * stride) };
}

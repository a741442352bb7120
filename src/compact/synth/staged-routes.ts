/**
 * Routes of the items of an alltoall on a machine that looks the same from every chip: in stages, in each of which an
 * item takes some links over one generator, or rests. The routes of rank 0's items are given; those of other ranks are
 * the same, shifted.
 */
import type { Generator, StagedRoutes } from '../../ir/compact.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { alongAxes, axesOf, partsFor } from '../../synth/symmetric/axis-paths.ts';
import { compact } from '../limits.ts';
import { layeredInTree } from './layered-tree.ts';

/** Maximum total hops of all items, on machines without axes. */
const mostHops = 2 ** 22;

/**
 * Dimension-ordered shortest paths on machines whose links go along axes; otherwise shortest paths that distribute each
 * layer over the generators. Undefined for machines without axes that are too large for that.
 */
export function stagedRoutesOn(group: TranslationGroup, generators: readonly Generator[]): StagedRoutes | undefined {
  const axes = axesOf(group, generators);
  if (axes === undefined || axes.length === 0) return overLayers(group, generators);
  return alongAxes(group, axes, group.order > compact.ranksWithCare ? 1 : partsFor(axes));
}

/**
 * One link per stage. The in-tree is read from its root: what arrives at rank 0 over a path departs over its reversal.
 */
function overLayers(group: TranslationGroup, generators: readonly Generator[]): StagedRoutes | undefined {
  const turned = generators.map((generator) => ({ ...generator, offset: group.negate(generator.offset) }));
  const tree = layeredInTree(group, turned, 1);
  const total = tree.shard.length * tree.stepCount;
  if (total > mostHops) return undefined;
  const back = generators.map(({ offset }) => group.translation(group.negate(offset)));
  const over = new Int8Array(group.order).fill(-1);
  for (let cell = 0; cell < tree.firstRow.length - 1; cell++) {
    for (let row = tree.firstRow[cell]; row < tree.firstRow[cell + 1]; row++) {
      over[tree.shard[row]] = cell % generators.length;
    }
  }
  const stages = Array.from({ length: tree.stepCount }, () => {
    return { generator: new Int8Array(group.order).fill(-1), hops: new Int32Array(group.order) };
  });
  for (let rank = 1; rank < group.order; rank++) {
    for (let [stage, rest] = [0, rank]; rest !== 0; stage++) {
      const g = over[rest];
      stages[stage].generator[rank] = g;
      stages[stage].hops[rank] = 1;
      rest = back[g](rest);
    }
  }
  return { parts: 1, stages };
}

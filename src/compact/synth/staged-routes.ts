/**
 * How the items of an alltoall travel on a machine that looks the same from every chip: in stages, in each of which an item goes some links
 * over one generator, or rests. Rank 0's items are told; those of all ranks go the same ways, shifted.
 */
import type { Generator, StagedRoutes } from '../../ir/compact.ts';
import type { TranslationGroup } from '../../ir/translation-group.ts';
import { alongAxes, axesOf, partsFor } from '../../synth/symmetric/axis-paths.ts';
import { compact } from '../limits.ts';
import { layeredInTree } from './layered-tree.ts';

/** Items on all their ways together, for machines without axes. */
const mostHops = 2 ** 22;

/**
 * The short way along one axis after the other, on machines whose links lead along axes; else a shortest way that shares each layer among
 * the generators. Undefined for machines without axes that are too large for that.
 */
export function stagedRoutesOn(group: TranslationGroup, generators: readonly Generator[]): StagedRoutes | undefined {
  const axes = axesOf(group, generators);
  if (axes === undefined || axes.length === 0) return overLayers(group, generators);
  return alongAxes(group, axes, group.order > compact.ranksWithCare ? 1 : partsFor(axes));
}

/** One link in each stage. The in-tree is read from its root: what comes to rank 0 over a way goes out over the like, turned round. */
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

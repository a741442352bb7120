/**
 * Trees up which packets of a reduction take less time: with reductions shared evenly among chips, and of little height. A packing
 * fills links, whatever chips have to reduce; but while the busiest chip reduces, all wait. Trees are changed edge by edge, by
 * simulated annealing (Kirkpatrick, Gelatt, Vecchi 1983).
 */
import { partOfWork } from '../../ir/effort.ts';
import { Random } from '../../ir/random.ts';
import type { Seconds } from '../../ir/units.ts';
import type { Problem } from '../engine.ts';
import { tolerance } from '../limits.ts';
import type { Tree } from '../trees/pack.ts';
import { edgesFrom } from '../trees/two-way-trees.ts';
import { ChangingTrees } from './changing-trees.ts';
import type { PacketLoad } from './packet-load.ts';

/** Changes that are tried, as long as they look at no more ranks than this. */
export const mostTries = 200_000;
const mostLooks = 50_000_000;
/** A change that costs this part of the time is taken in one of e cases at the end; at first one that costs as much as is not told apart. */
const lastHeat = 0.0005;

/**
 * @param trees of one root, with edges from it to the leaves, over single links turned round
 * @param load theirs; no link will be busy for longer
 */
export function balancedTrees(
  trees: readonly Tree[],
  load: PacketLoad,
  { routes, size, seed, effort = 'full' }: Problem,
): readonly Tree[] {
  const changing = new ChangingTrees(trees, load.linkTime, routes);
  const random = new Random(seed);
  const { length } = routes.topology.chips;
  /** What packets take if there are as many as they should be (packet-load.ts); while trees change, every chip and leaf counts somewhat. */
  const seconds = (isSmooth: boolean): Seconds => {
    const height = changing.height(isSmooth);
    const perByte = load.linkTime + changing.reduceTime(isSmooth);
    return (Math.sqrt(Math.max(0, height - 1) * load.latency) + Math.sqrt(perByte * size)) ** 2;
  };
  let best = { parents: changing.parents(), seconds: seconds(false) };
  let now = seconds(true);
  const number = Math.floor(partOfWork[effort] * Math.min(mostTries, mostLooks / (length * trees.length)));
  for (let attempt = 0; attempt < number; attempt++) {
    const undo = changing.change(random);
    if (undo === undefined) continue;
    const then = seconds(true);
    const warmth = tolerance * (lastHeat / tolerance) ** (attempt / number);
    if (then > now && random.below(2 ** 32) / 2 ** 32 > Math.exp((now - then) / (now * warmth))) {
      undo();
      continue;
    }
    now = then;
    const exact = seconds(false);
    if (exact < best.seconds * (1 - 1e-9)) best = { parents: changing.parents(), seconds: exact };
  }
  return trees.map(({ root, amount }, tree) => ({
    root,
    amount,
    edges: edgesFrom(root, childrenOf(best.parents[tree])),
  }));
}

/** Of each rank those next to it in the tree. */
function childrenOf(parents: Int32Array): number[][] {
  const near: number[][] = Array.from(parents, () => []);
  for (const [rank, parent] of parents.entries()) {
    if (parent < 0) continue;
    near[parent].push(rank);
    near[rank].push(parent);
  }
  return near;
}

/**
 * How many trees each root gets, and what capacity is in trees. With the exact rate p/q per root, p trees of bandwidth 1/q
 * fit where capacities are multiplied by q (Zhao et al., "ForestColl", 2024, §5.2). Where that is too many, a smaller number
 * of wider trees is chosen: a link takes as many as fit in it entirely.
 */
import { type Effort, partOfWork } from '../../ir/effort.ts';
import { sumError } from '../../ir/units.ts';
import { maxChunksPerShard, relativeTolerance } from '../limits.ts';
import { aroundChips, type Leaving, leaving, rateOut, type Spreading, tightCut } from './rate.ts';

/** Capacities in trees: every root has `trees` trees for each unit of its share to spread over the whole graph. */
export interface TreeProblem extends Spreading {
  /** Trees for each unit of a root's share. */
  readonly trees: number;
  /** Capacity of the machine that one tree takes everywhere. */
  readonly width: number;
}

/**
 * Arcs that flows of a packing may have to look at, for each time that they look: as many as an engine has work for, or else trees are never done. What many
 * narrow trees gain, a quick search loses in bulks that it has no time for. One tree a root is worth more, as flows that find much at once take less.
 */
const packingWork = { usual: 4e7, ofOneTree: 4e8 } as const;
/** More trees than this for each root are not worth their messages, or their chunks. */
const mostTrees = { quick: 64, full: maxChunksPerShard } as const;
/** What may be lost, as a part of the exact rate, by taking fewer trees. */
const tolerableLoss = { quick: 0.04, full: relativeTolerance } as const;

/**
 * The problem with the fewest trees that reach the exact rate, or else nearly do; undefined where there is none. No number of trees
 * can be wider than the cuts that are known let through: what promises most of all is tried, and every cut that is in its way is one
 * more that is known.
 *
 * @param rate what no unit of a root can exceed
 * @param trees the number to use instead, as wide as possible
 */
export function scaleToTrees(
  spreading: Spreading,
  rate: number,
  trees: number | undefined,
  effort: Effort,
): TreeProblem | undefined {
  const { graph, shouldStop } = spreading;
  const numbers = Array.from({ length: maxTreesFor(spreading, effort) }, (_, fewer) => fewer + 1);
  const options = (trees === undefined ? numbers : [trees]).map((each) => ({ trees: each, width: rate / each }));
  const narrow = (cut: Leaving): void => {
    for (const option of options) option.width = widthThrough(cut, option.trees, option.width);
  };
  for (const cut of aroundChips(spreading)) narrow(cut);
  for (let tries = 0; tries === 0 || shouldStop?.() !== true; tries++) {
    const carried = options.map((option) => option.trees * option.width);
    const best = Math.max(0, ...carried);
    if (best === 0) return undefined;
    const goals = [rate * (1 - sumError), rate * (1 - tolerableLoss[effort]), best];
    const goal = goals.find((each) => each <= best) ?? best;
    const { trees: number, width } = options[carried.findIndex((each) => each >= goal)];
    const capacity = graph.capacity.map((amount) => treesIn(amount, width));
    const problem = { ...spreading, graph: { ...graph, capacity }, trees: number, width };
    const cut = tightCut(problem, number);
    if (cut === undefined) return problem;
    narrow(leaving(spreading, cut.inside));
  }
  return undefined;
}

/** The greatest width, up to a given one, of so many trees that all fit through a cut. */
function widthThrough({ capacities, units }: Leaving, trees: number, most: number): number {
  let width = most;
  while (width > 0 && capacities.reduce((sum, amount) => sum + treesIn(amount, width), 0) < trees * units) {
    width = capacities.reduce((next, amount) => Math.max(next, amount / (treesIn(amount, width) + 1)), 0);
  }
  return width;
}

/** Trees that fit into a capacity. */
function treesIn(amount: number, width: number): number {
  return Math.floor((amount / width) * (1 + sumError));
}

/** Trees per root that can be packed in reasonable time; 0 where not even one can, in however much of it. */
export function maxTreesFor(spreading: Spreading, effort: Effort): number {
  const { graph, roots } = spreading;
  const links = linksWithoutSwitches(spreading);
  const work = (trees: number): number => {
    // Every edge of equal trees is a flow, over all links and from all trees to the ranks that they have reached. They are cut up
    // where links are full, so that many narrow ones are not many more messages than a few; a quick search is to have few in any case.
    const alike = effort === 'quick' ? trees * roots.length : Math.min(trees * roots.length, roots.length + links);
    const edges = alike * graph.chips;
    return edges * (links + edges / 2);
  };
  let trees: number = mostTrees[effort];
  while (trees > 1 && work(trees) > packingWork.usual * partOfWork[effort]) trees--;
  return work(trees) <= packingWork.ofOneTree ? trees : 0;
}

/** About how many there will be, if those that replace a switch are as wide as the trees of a root. */
function linksWithoutSwitches(spreading: Spreading): number {
  const { nodes, chips, capacity } = spreading.graph;
  const rate = aroundChips(spreading).reduce((least, cut) => Math.min(least, rateOut(cut)), Number.POSITIVE_INFINITY);
  let links = 0;
  for (let from = 0; from < chips; from++) {
    for (let to = 0; to < nodes; to++) {
      const amount = capacity[from * nodes + to];
      if (amount > 0) links += to < chips ? 1 : Math.min(chips - 1, Math.ceil(amount / rate));
    }
  }
  return links;
}

/**
 * Chooses the number of trees per root, and expresses capacities in trees. At the exact rate p/q per root, p trees of
 * bandwidth 1/q fit if capacities are multiplied by q (Zhao et al., "ForestColl", 2024, §5.2). If p is too large, a
 * smaller number of wider trees is chosen, and a link takes as many as fit entirely.
 */
import { type Effort, partOfWork } from '../../ir/effort.ts';
import { sumError } from '../../ir/units.ts';
import { maxChunksPerShard, relativeTolerance } from '../limits.ts';
import { aroundChips, type Leaving, leaving, rateOut, type Spreading, tightCut } from './rate.ts';

/** Capacities in trees: every root has `trees` trees per unit of its share to spread over the whole graph. */
export interface TreeProblem extends Spreading {
  /** Trees per unit of a root's share. */
  readonly trees: number;
  /** Capacity of the machine that one tree occupies. */
  readonly width: number;
}

/**
 * Estimated arcs that the flows of a packing may visit, counted for each visit. What many narrow trees gain, a quick
 * search loses in bulks that it has no time to try. A single tree per root may take more, since each flow then settles
 * much at once.
 */
const packingWork = { usual: 4e7, ofOneTree: 4e8 } as const;
/** Maximum trees per root: more are not worth their messages or chunks. */
const mostTrees = { quick: 64, full: maxChunksPerShard } as const;
/** Loss of rate that is accepted for fewer trees. */
const tolerableLoss = { quick: 0.04, full: relativeTolerance } as const;

/**
 * The problem with the fewest trees that reach the exact rate, or nearly; undefined if there is none. The known cuts
 * bound the width of every number of trees; the most promising number is tried, and every violated cut is added to the
 * known ones (a cutting-plane method).
 * @param rate upper limit on the rate per unit of share
 * @param trees a given number of trees, as wide as possible
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

/** The maximum width, up to `most`, at which that many trees fit through a cut. */
function widthThrough({ capacities, units }: Leaving, trees: number, most: number): number {
  let width = most;
  while (width > 0 && capacities.reduce((sum, amount) => sum + treesIn(amount, width), 0) < trees * units) {
    width = capacities.reduce((next, amount) => Math.max(next, amount / (treesIn(amount, width) + 1)), 0);
  }
  return width;
}

/** Number of trees that fit into a capacity. */
function treesIn(amount: number, width: number): number {
  return Math.floor((amount / width) * (1 + sumError));
}

/** Maximum trees per root that can be packed in reasonable time; 0 if not even one can. */
export function maxTreesFor(spreading: Spreading, effort: Effort): number {
  const { graph, roots } = spreading;
  const links = linksWithoutSwitches(spreading);
  const work = (trees: number): number => {
    // Every edge of a batch takes a flow over all links and from all trees to the ranks that they have reached. Batches
    // are divided where links are full, so many narrow trees do not need many more messages than a few; a quick search
    // should have few anyway.
    const alike = effort === 'quick' ? trees * roots.length : Math.min(trees * roots.length, roots.length + links);
    const edges = alike * graph.chips;
    return edges * (links + edges / 2);
  };
  let trees: number = mostTrees[effort];
  while (trees > 1 && work(trees) > packingWork.usual * partOfWork[effort]) trees--;
  return work(trees) <= packingWork.ofOneTree ? trees : 0;
}

/** Estimated number of edges after the removal of switches, if replacements are as wide as the trees of a root. */
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

/** The pricing problem of column generation: columns that cost less than what their commodity is worth at the prices of the master program. */
import type { Random } from '../../ir/random.ts';
import { noticeable } from '../../ir/units.ts';
import { CheapestTrees, canTryAllSets, workOfSets } from './cheapest-trees.ts';
import { blurring, looksPerWork } from './limits.ts';
import type { Prices } from './master.ts';
import type { Column, Hop, RoundsProblem } from './problem.ts';
import { nearTree, roundsBefore, roundsFrom, type TreeRounds } from './trees.ts';

type HopPrices = Pick<Prices, 'copied' | 'reduced'>;

export class Pricing {
  /** What trees have taken so far, as limits count work (limits.ts). */
  work = 0;
  private readonly problem: RoundsProblem;
  private readonly spread: keyof HopPrices;

  constructor(problem: RoundsProblem) {
    this.problem = problem;
    this.spread = problem.reductions === 'at-start' ? 'reduced' : 'copied';
  }

  /**
   * Columns for all commodities that save something at these prices.
   *
   * @param random trees grow in any order, at prices that are a little off: each time others
   */
  *improving(prices: Prices, random?: Random): Iterable<Column> {
    const finder = this.finder(random === undefined ? prices : blurred(prices, random), random);
    for (const [commodity, { source, targets, bytes }] of this.problem.commodities.entries()) {
      const limit = (prices.worth[commodity] / bytes) * (1 - noticeable);
      const columns =
        source === undefined
          ? this.turning(commodity, targets, finder)
          : this.spreading(commodity, source, targets, finder);
      for (const column of columns) if (this.costOf(column, prices) < limit) yield column;
    }
  }

  /** How trees are found at these prices: the very cheapest ones where that does not take long and no others are asked for. */
  private finder(prices: HopPrices, random: Random | undefined): Finder {
    const { network, rounds, commodities } = this.problem;
    const isPath = commodities.every(({ targets }) => targets.length === 1);
    if (random !== undefined || isPath || !canTryAllSets(network, rounds)) {
      return (over, root, targets) => {
        this.work += (over.rounds * over.from.length * targets.length) / looksPerWork;
        return nearTree(over, root, targets, over.step < 0 ? prices.reduced : prices[this.spread], random);
      };
    }
    this.work += workOfSets(network, rounds);
    const spreading = new CheapestTrees(roundsFrom(network, 0, rounds), prices[this.spread]);
    const gathering = commodities.some(({ source }) => source === undefined)
      ? new CheapestTrees(roundsBefore(network, rounds), prices.reduced)
      : spreading;
    return (over, root, targets) => (over.step < 0 ? gathering : spreading).hops(over, root, targets);
  }

  private costOf({ hops, turn }: Column, prices: HopPrices): number {
    const before = turn * this.problem.network.from.length;
    return hops.reduce((sum, hop) => sum + (hop < before ? prices.reduced : prices[this.spread])[hop], 0);
  }

  private *spreading(commodity: number, source: number, targets: readonly number[], find: Finder): Iterable<Column> {
    const hops = find(roundsFrom(this.problem.network, 0, this.problem.rounds), source, targets);
    if (hops !== undefined) yield { commodity, hops, turn: 0 };
  }

  /** For every rank and round a tree that brings everything together there before that round, and one that spreads it from then on. */
  private *turning(commodity: number, targets: readonly number[], find: Finder): Iterable<Column> {
    const { network, rounds } = this.problem;
    for (let turn = 1; turn < rounds; turn++) {
      for (const root of targets) {
        const together = find(roundsBefore(network, turn), root, targets);
        const apart = together && find(roundsFrom(network, turn, rounds), root, targets);
        if (together !== undefined && apart !== undefined) yield { commodity, hops: [...together, ...apart], turn };
      }
    }
  }
}

/** The hops of a tree, ascending; undefined where there are too few rounds. */
type Finder = (over: TreeRounds, root: number, targets: readonly number[]) => Hop[] | undefined;

/** Prices with something added to each: what costs nothing is not all the same then. */
function blurred({ copied, reduced }: HopPrices, random: Random): HopPrices {
  const mean = copied.reduce((sum, price) => sum + price, 0) / copied.length;
  const blur = copied.map(() => (blurring * mean * random.next()) / 2 ** 32);
  return {
    copied: copied.map((price, hop) => price + blur[hop]),
    reduced: reduced.map((price, hop) => price + blur[hop]),
  };
}

/** The pricing problem of column generation: finds columns that cost less than their commodity's dual price. */
import type { Random } from '../../ir/random.ts';
import { noticeable } from '../../ir/units.ts';
import { probesPerWork } from './limits.ts';
import type { DualPrices } from './master.ts';
import type { Hop, RoundsProblem, TreeColumn } from './problem.ts';
import { nearTree, roundsBefore, roundsFrom, type TreeRounds } from './trees.ts';

type HopPrices = Pick<DualPrices, 'copied' | 'reduced'>;

export class PricingProblem {
  /** Work of the tree search so far (limits.ts). */
  work = 0;
  private readonly problem: RoundsProblem;
  private readonly spread: keyof HopPrices;

  constructor(problem: RoundsProblem) {
    this.problem = problem;
    this.spread = problem.reversed !== undefined && problem.reduces ? 'reduced' : 'copied';
  }

  /**
   * Improving columns for all commodities at these prices.
   * @param random grows trees in random order at slightly perturbed prices, so that each call finds others
   */
  *improving(prices: DualPrices, random?: Random): Iterable<TreeColumn> {
    const { commodities, network } = this.problem;
    const near = random === undefined ? prices : blurred(prices, random);
    const find: Finder = (over, root, targets) => {
      this.work += (over.rounds * over.from.length * targets.length) / probesPerWork;
      return nearTree(over, root, targets, over.step < 0 ? near.reduced : near[this.spread], random);
    };
    const costOf = ({ hops, turn }: TreeColumn): number =>
      hops.reduce((sum, hop) => sum + prices[hop < turn * network.arcs.length ? 'reduced' : 'copied'][hop], 0);
    for (const [commodity, { bytes }] of commodities.entries()) {
      const limit = (prices.worth[commodity] / bytes) * (1 - noticeable);
      for (const column of this.columnsOf(commodity, find)) if (costOf(column) < limit) yield column;
    }
  }

  /**
   * A tree from the commodity's source; for a reduction with broadcast, for every rank and round a tree that gathers
   * there before that round, and one that spreads from then on.
   */
  private *columnsOf(commodity: number, find: Finder): Iterable<TreeColumn> {
    const { network, rounds, commodities } = this.problem;
    const { source, targets } = commodities[commodity];
    if (source !== undefined) {
      const hops = find(roundsFrom(network, 0, rounds), source, targets);
      if (hops !== undefined) yield { commodity, hops, turn: this.spread === 'reduced' ? rounds : 0 };
      return;
    }
    for (let turn = 1; turn < rounds; turn++) {
      for (const root of targets) {
        const together = find(roundsBefore(network, turn), root, targets);
        const apart = together && find(roundsFrom(network, turn, rounds), root, targets);
        if (together !== undefined && apart !== undefined) yield { commodity, hops: [...together, ...apart], turn };
      }
    }
  }
}

/** Finds the hops of a tree, ascending; undefined if there are too few rounds. */
type Finder = (over: TreeRounds, root: number, targets: readonly number[]) => Hop[] | undefined;

/** Prices with up to half of their mean added to each, so that free hops are not all alike. */
function blurred({ copied, reduced }: HopPrices, random: Random): HopPrices {
  const mean = copied.reduce((sum, price) => sum + price, 0) / copied.length;
  const blur = copied.map(() => (mean * random.next()) / 2 ** 33);
  return {
    copied: copied.map((price, hop) => price + blur[hop]),
    reduced: reduced.map((price, hop) => price + blur[hop]),
  };
}

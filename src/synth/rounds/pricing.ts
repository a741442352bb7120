/** The pricing problem of column generation: columns that cost less than what their commodity is worth at the prices of the master program. */
import type { Random } from '../../ir/random.ts';
import { CheapestTrees, canTryAllSets, workOfSets } from './cheapest-trees.ts';
import type { Column, Hop } from './columns.ts';
import type { Prices } from './master.ts';
import type { RoundsProblem } from './problem.ts';
import { type TreeNetwork, TreeSearch } from './tree-search.ts';

/** A tree looks at every hop once for each of its ranks: so many such looks count as one iteration and row of the simplex method. */
const hopsPerWork = 130;
/** What a column must save, as a part of what its commodity is worth. */
const leastSaving = 1e-7;
/** How much is added at most to prices that are a little off, as a part of their mean. */
const blurring = 0.5;

export class Pricing {
  /** What trees have taken so far, as limits count work (limits.ts). */
  work = 0;
  private readonly problem: RoundsProblem;
  private readonly spreading: TreeSearch;
  /** The network with its ways turned round. */
  private readonly backwards: TreeNetwork;
  /** There, for trees that bring parts together: round 0 is their last. */
  private readonly gathering: TreeSearch;

  constructor(problem: RoundsProblem) {
    const { network, rounds } = problem;
    const { ranks, from, to } = network;
    this.problem = problem;
    this.spreading = new TreeSearch(network, rounds);
    this.backwards = { ranks, from: to, to: from };
    this.gathering = new TreeSearch(this.backwards, rounds);
  }

  /**
   * Columns for all commodities that save something at these prices.
   *
   * @param random trees grow in any order, at prices that are a little off: each time others
   */
  *improving(prices: Prices, random?: Random): Iterable<Column> {
    const { commodities, reductions } = this.problem;
    const seen = random === undefined ? prices : { ...prices, ...this.blurred(prices, random) };
    const spread = reductions === 'at-start' ? 'reduced' : 'copied';
    const finders = this.finders(seen, random);
    for (const [commodity, { source, targets, bytes }] of commodities.entries()) {
      const limit = (prices.worth[commodity] / bytes) * (1 - leastSaving);
      if (source === undefined) {
        for (const column of this.turning(commodity, targets, finders)) {
          if (this.costOf(column, prices) < limit) yield column;
        }
      } else {
        const hops = finders.spread(source, targets, 0);
        if (hops !== undefined && costOf(hops, prices[spread]) < limit) yield { commodity, hops, turn: 0 };
      }
    }
  }

  /** How trees are found at these prices: the very cheapest ones where that does not take long and no others are asked for. */
  private finders(prices: Pick<Prices, 'copied' | 'reduced'>, random: Random | undefined): Finders {
    const { network, rounds, commodities, reductions } = this.problem;
    const spread = reductions === 'at-start' ? prices.reduced : prices.copied;
    const isPath = commodities.every(({ targets }) => targets.length === 1);
    if (random !== undefined || isPath || !canTryAllSets(network, rounds))
      return this.greedy(spread, prices.reduced, random);
    const ways = network.from.length;
    this.work += workOfSets(network, rounds);
    const spreading = new CheapestTrees(network, rounds, (layer, way) => spread[(rounds - layer) * ways + way]);
    const gathering = commodities.some(({ source }) => source === undefined)
      ? new CheapestTrees(this.backwards, rounds, (layer, way) => prices.reduced[(layer - 1) * ways + way])
      : undefined;
    return {
      spread: (root, targets, from) => spreading.hops(root, targets, rounds - from, (layer) => rounds - layer),
      gather: (root, targets, until) => gathering?.hops(root, targets, until, (layer) => layer - 1),
    };
  }

  private greedy(spread: Float64Array, reduced: Float64Array, random: Random | undefined): Finders {
    const { rounds, network } = this.problem;
    const ways = network.from.length;
    const count = (targets: readonly number[], last: number): void => {
      this.work += (last * ways * targets.length) / hopsPerWork;
    };
    return {
      spread: (root, targets, from) => {
        count(targets, rounds - from);
        return this.spreading
          .tree(root, targets, spread.subarray(from * ways), { rounds: rounds - from, random })
          ?.map((hop) => hop + from * ways);
      },
      gather: (root, targets, until) => {
        count(targets, until);
        return this.gathering
          .tree(root, targets, mirrored(reduced, until, ways), { rounds: until, random })
          ?.map((hop) => mirroredHop(hop, until, ways))
          .sort((a, b) => a - b);
      },
    };
  }

  /** Prices with something added to each: what costs nothing is not all the same then. */
  private blurred({ copied, reduced }: Prices, random: Random): Pick<Prices, 'copied' | 'reduced'> {
    const mean = copied.reduce((sum, price) => sum + price, 0) / copied.length;
    const blur = copied.map(() => (blurring * mean * random.next()) / 2 ** 32);
    return {
      copied: copied.map((price, hop) => price + blur[hop]),
      reduced: reduced.map((price, hop) => price + blur[hop]),
    };
  }

  private costOf({ hops, turn }: Column, { copied, reduced }: Prices): number {
    const before = turn * this.problem.network.from.length;
    return hops.reduce((sum, hop) => sum + (hop < before ? reduced : copied)[hop], 0);
  }

  /** For every rank and round a tree that brings everything together there before that round, and one that spreads it from then on. */
  private *turning(commodity: number, targets: readonly number[], { gather, spread }: Finders): Iterable<Column> {
    for (let turn = 1; turn < this.problem.rounds; turn++) {
      for (const root of targets) {
        const together = gather(root, targets, turn);
        if (together === undefined) continue;
        const apart = spread(root, targets, turn);
        if (apart !== undefined) yield { commodity, hops: [...together, ...apart], turn };
      }
    }
  }
}

/** Trees as hops, ascending; undefined where there are too few rounds. */
interface Finders {
  /** From the root to all targets, in the rounds from one on. */
  readonly spread: (root: number, targets: readonly number[], from: number) => Hop[] | undefined;
  /** From all targets to the root, in the rounds before one. */
  readonly gather: (root: number, targets: readonly number[], until: number) => Hop[] | undefined;
}

function costOf(hops: readonly Hop[], prices: Float64Array): number {
  let sum = 0;
  for (const hop of hops) sum += prices[hop];
  return sum;
}

/** The prices of the first rounds, the last of them first. */
function mirrored(prices: Float64Array, rounds: number, ways: number): Float64Array {
  const turned = new Float64Array(rounds * ways);
  for (let hop = 0; hop < turned.length; hop++) turned[mirroredHop(hop, rounds, ways)] = prices[hop];
  return turned;
}

function mirroredHop(hop: Hop, rounds: number, ways: number): Hop {
  return (rounds - 1 - Math.floor(hop / ways)) * ways + (hop % ways);
}

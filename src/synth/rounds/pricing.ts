/** The pricing problem of column generation: columns that cost less than what their commodity is worth at the prices of the master program. */
import type { Random } from '../../ir/random.ts';
import type { Column, Hop } from './columns.ts';
import type { Prices } from './master.ts';
import type { RoundsProblem } from './problem.ts';
import { TreeSearch } from './tree-search.ts';

/** What a column must save, as a part of what its commodity is worth. */
const leastSaving = 1e-7;
/** How much is added at most to prices that are a little off, as a part of their mean, and in how many grades. */
const blurring = 0.5;
const blurs = 1024;

export class Pricing {
  private readonly problem: RoundsProblem;
  private readonly spreading: TreeSearch;
  /** On the network with its ways turned round, for trees that bring parts together: round 0 is their last. */
  private readonly gathering: TreeSearch;

  constructor(problem: RoundsProblem) {
    const { network, rounds } = problem;
    const { ranks, from, to } = network;
    this.problem = problem;
    this.spreading = new TreeSearch(network, rounds);
    this.gathering = new TreeSearch({ ranks, from: to, to: from }, rounds);
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
    for (const [commodity, { source, targets, bytes }] of commodities.entries()) {
      const limit = (prices.worth[commodity] / bytes) * (1 - leastSaving);
      if (source === undefined) {
        for (const column of this.turning(commodity, targets, seen, random)) {
          if (this.costOf(column, prices) < limit) yield column;
        }
      } else {
        const hops = this.spreading.tree(source, targets, seen[spread], { random });
        if (hops !== undefined && costOf(hops, prices[spread]) < limit) yield { commodity, hops, turn: 0 };
      }
    }
  }

  /** Prices with something added to each: what costs nothing is not all the same then. */
  private blurred({ copied, reduced }: Prices, random: Random): Pick<Prices, 'copied' | 'reduced'> {
    const mean = copied.reduce((sum, price) => sum + price, 0) / copied.length;
    const blur = copied.map(() => (blurring * mean * random.below(blurs)) / blurs);
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
  private *turning(
    commodity: number,
    targets: readonly number[],
    { copied, reduced }: Pick<Prices, 'copied' | 'reduced'>,
    random: Random | undefined,
  ): Iterable<Column> {
    const { network, rounds } = this.problem;
    const ways = network.from.length;
    for (let turn = 1; turn < rounds; turn++) {
      const backwards = mirrored(reduced, turn, ways);
      const after = copied.subarray(turn * ways);
      for (const root of targets) {
        const together = this.gathering.tree(root, targets, backwards, { rounds: turn, random });
        if (together === undefined) continue;
        const apart = this.spreading.tree(root, targets, after, { rounds: rounds - turn, random });
        if (apart === undefined) continue;
        const first = together.map((hop) => mirroredHop(hop, turn, ways));
        const hops = [...first.sort((a, b) => a - b), ...apart.map((hop) => hop + turn * ways)];
        yield { commodity, hops, turn };
      }
    }
  }
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

/** Trees in rounds against every tree that there is, on networks small enough to try them all. */
import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/ir/random.ts';
import { nearTree, roundsFrom, type TreeRounds } from '../../../src/synth/rounds/trees.ts';

type TreeNetwork = Pick<TreeRounds, 'ranks' | 'from' | 'to'>;

/** A ring through all ranks, in both directions or one, and chords. */
function drawn(random: Random): TreeNetwork {
  const ranks = 3 + random.below(3);
  const pairs = new Set<string>();
  for (let rank = 0; rank < ranks; rank++) {
    pairs.add(`${rank} ${(rank + 1) % ranks}`);
    if (random.below(2) === 0) pairs.add(`${(rank + 1) % ranks} ${rank}`);
    const other = random.below(ranks);
    if (other !== rank) pairs.add(`${rank} ${other}`);
  }
  const ways = [...pairs].map((pair) => pair.split(' ').map(Number));
  return { ranks, from: Int32Array.from(ways, ([from]) => from), to: Int32Array.from(ways, ([, to]) => to) };
}

/** The least price of all ways to bring the data to every target: sets of ranks that have it, round by round. */
function leastPrice(
  { ranks, from, to }: TreeNetwork,
  source: number,
  targets: number,
  prices: Float64Array,
  rounds: number,
) {
  let states = new Map([[1 << source, 0]]);
  for (let round = 0; round < rounds; round++) {
    const next = new Map<number, number>();
    for (const [have, cost] of states) {
      // What comes in this round comes over the cheapest way from whoever has it.
      const into = new Float64Array(ranks).fill(Number.POSITIVE_INFINITY);
      from.forEach((rank, way) => {
        if (((have >> rank) & 1) === 1) into[to[way]] = Math.min(into[to[way]], prices[round * from.length + way]);
      });
      for (let come = 0; come < 1 << ranks; come++) {
        if ((come & have) !== 0) continue;
        let sum = cost;
        for (let rank = 0; rank < ranks; rank++) if (((come >> rank) & 1) === 1) sum += into[rank];
        if (sum < (next.get(have | come) ?? Number.POSITIVE_INFINITY)) next.set(have | come, sum);
      }
    }
    states = next;
  }
  return Math.min(...[...states].filter(([have]) => (have & targets) === targets).map(([, cost]) => cost));
}

/** Whether every hop leaves a rank that has the data before that round, and all targets get it. */
function arrives(
  { from, to, ranks }: TreeNetwork,
  source: number,
  targets: readonly number[],
  hops: readonly number[],
) {
  const since = new Float64Array(ranks).fill(Number.POSITIVE_INFINITY);
  since[source] = 0;
  for (const hop of hops) {
    const [way, round] = [hop % from.length, Math.floor(hop / from.length)];
    if (since[from[way]] > round) return false;
    since[to[way]] = Math.min(since[to[way]], round + 1);
  }
  return targets.every((target) => since[target] < Number.POSITIVE_INFINITY);
}

describe('trees in rounds', () => {
  it('are paths of the least price where there is one target, and else near the least of all trees', () => {
    const random = new Random(5);
    let [sum, least] = [0, 0];
    for (let draw = 0; draw < 200; draw++) {
      const network = drawn(random);
      const rounds = 2 + random.below(3);
      const prices = Float64Array.from({ length: rounds * network.from.length }, () => random.below(10));
      const costOf = (hops: readonly number[]): number => hops.reduce((total, hop) => total + prices[hop], 0);
      const over = roundsFrom(network, 0, rounds);
      const [source, target] = [0, 1 + random.below(network.ranks - 1)];
      const path = nearTree(over, source, [target], prices);
      const leastPath = leastPrice(network, source, 1 << target, prices, rounds);
      expect(path === undefined ? Number.POSITIVE_INFINITY : costOf(path)).toBe(leastPath);
      const all = Array.from({ length: network.ranks }, (_, rank) => rank);
      const tree = nearTree(over, source, all, prices);
      const leastTree = leastPrice(network, source, (1 << network.ranks) - 1, prices, rounds);
      expect(tree === undefined).toBe(leastTree === Number.POSITIVE_INFINITY);
      if (tree === undefined) continue;
      expect(arrives(network, source, all, tree)).toBe(true);
      expect(costOf(tree)).toBeGreaterThanOrEqual(leastTree);
      sum += costOf(tree);
      least += leastTree;
    }
    expect(sum).toBeLessThan(least * 1.1);
  });
});

/** Trees whose edges have several ways over switches, of different widths: each batch fits in one way on every edge. */
import { describe, expect, it } from 'vitest';
import type { Tree } from '../../../src/synth/trees/pack.ts';
import type { PathFlow } from '../../../src/synth/trees/path-flows.ts';
import { sharedAmongWays } from '../../../src/synth/trees/share-ways.ts';

const through = (node: number, amount: number): PathFlow => ({ through: [node], amount });
const path = (amount: number, ...ranks: number[]): Tree => ({
  root: ranks[0],
  amount,
  edges: ranks.slice(1).map((to, index) => ({ from: ranks[index], to, depth: index + 1 })),
});

function amounts(trees: readonly Tree[], ways: Readonly<Record<string, readonly PathFlow[]>>): number[] {
  const shared = sharedAmongWays(trees, (from, to) => ways[`${from} ${to}`] ?? []);
  return shared.map(({ amount }) => amount);
}

describe('trees shared among uneven ways', () => {
  it('one edge: a batch for each way, the widest first', () => {
    expect(amounts([path(5, 0, 1)], { '0 1': [through(8, 2), through(9, 3)] })).toEqual([3, 2]);
  });

  it('two edges: a batch is no wider than the widest way of either', () => {
    // 2 of 2 + 2 and 3 + 1 leave 2 and 1 + 1.
    const ways = { '0 1': [through(8, 2), through(9, 2)], '1 2': [through(8, 3), through(9, 1)] };
    expect(amounts([path(4, 0, 1, 2)], ways)).toEqual([2, 1, 1]);
  });

  it('what a tree takes of a way is no more there for the next, of whatever root', () => {
    const ways = { '0 1': [through(8, 3), through(9, 1)], '2 0': [through(8, 2)] };
    const shared = sharedAmongWays([path(2, 0, 1), path(2, 2, 0, 1)], (from, to) => ways[`${from} ${to}` as '0 1']);
    expect(shared.map(({ root, amount }) => [root, amount])).toEqual([
      [0, 2],
      [2, 1],
      [2, 1],
    ]);
    expect(shared[2].edges).toEqual(path(2, 2, 0, 1).edges);
  });

  it('flows over the same switches are one way', () => {
    expect(amounts([path(3, 0, 1)], { '0 1': [through(8, 1), through(9, 1), through(8, 1)] })).toEqual([2, 1]);
  });

  it('an edge without switches has one way for all', () => {
    expect(amounts([path(5, 0, 1)], { '0 1': [{ through: [], amount: 5 }] })).toEqual([5]);
  });
});

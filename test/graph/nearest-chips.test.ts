/** Ranks on the nearest chips of a larger machine, against all choices of chips. */
import { describe, expect, it } from 'vitest';
import { nearestChips } from '../../src/graph/index.ts';
import { Routes } from '../../src/ir/routes.ts';
import { resolveTopology } from '../../src/read/index.ts';

/** All sets of so many of n things. */
function* choices(n: number, count: number, from = 0): Iterable<readonly number[]> {
  if (count === 0) yield [];
  else
    for (let first = from; first < n; first++)
      for (const rest of choices(n, count - 1, first + 1)) yield [first, ...rest];
}

/** Links between two of the chips, on average over all pairs. */
function average(routes: Routes, chips: readonly number[]): number {
  const pairs = chips.flatMap((a) => chips.filter((b) => b !== a).map((b) => routes.hops(a, b)));
  return pairs.reduce((sum, links) => sum + links, 0) / pairs.length;
}

/** The shortest ring through the chips, by trying all orders. */
function shortestRing(routes: Routes, [first, ...rest]: readonly number[]): number {
  const orders = (left: readonly number[]): readonly (readonly number[])[] =>
    left.length === 0 ? [[]] : left.flatMap((chip) => orders(left.filter((c) => c !== chip)).map((o) => [chip, ...o]));
  const lengths = orders(rest).map((order) => {
    const ring = [first, ...order];
    return ring.reduce((sum, chip, at) => sum + routes.hops(chip, ring[(at + 1) % ring.length]), 0) / ring.length;
  });
  return Math.min(...lengths);
}

describe('the nearest chips', () => {
  it.each([
    ['torus:4x4', 2],
    ['torus:4x4', 4],
    ['torus:4x4', 5],
    ['mesh:3x4', 6],
    ['sg2260x8', 3],
    ['line:9', 4],
    ['a100:2', 5],
    ['routed-ring:8', 3],
  ])('of %s: no %i chips are nearer', (name, count) => {
    const routes = new Routes(resolveTopology(name));
    const { chips, before, after } = nearestChips(routes, count);
    let least = Number.POSITIVE_INFINITY;
    for (const set of choices(routes.topology.chips.length, count)) least = Math.min(least, average(routes, set));
    expect(after.pairs).toBeCloseTo(least, 9);
    expect(average(routes, chips)).toBeCloseTo(least, 9);
    expect(new Set(chips).size).toBe(count);
    expect(after.ring).toBeCloseTo(shortestRing(routes, chips), 9);
    expect(before.pairs).toBeCloseTo(
      average(
        routes,
        Array.from({ length: count }, (_, chip) => chip),
      ),
      9,
    );
  });

  it('are a square of a torus, one link apart round it', () => {
    const { chips, before, after } = nearestChips(new Routes(resolveTopology('torus:8x8')), 4);
    expect(new Set(chips.map((chip) => chip % 8)).size).toBe(2);
    expect(before).toEqual({ pairs: 20 / 12, ring: 1.5 });
    expect(after).toEqual({ pairs: 16 / 12, ring: 1 });
  });

  it('are all chips where there are no more, in the order of the shortest ring', () => {
    const { chips, after } = nearestChips(new Routes(resolveTopology('sg2260x8')), 8);
    expect(new Set(chips).size).toBe(8);
    expect(after.ring).toBe(1);
  });
});

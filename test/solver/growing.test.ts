/** Models that grow: with columns added one by one, and from where the last solution was, the optimum is that of the whole model. */
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/ir/random.ts';
import { loadSolver, ModelBuilder } from '../../src/solver/index.ts';
import { testSeed } from '../draw.ts';

const some = { lower: 0, upper: Number.POSITIVE_INFINITY, whole: false };

/** A diet: minimise the cost of foods that have at least so much of everything; the first food has all, at a high price. */
function diet(random: Random) {
  const needs = Array.from({ length: 6 }, () => 1 + random.below(9));
  const foods = Array.from({ length: 15 }, () => ({
    cost: 1 + random.below(20),
    rows: needs.map((_, row) => row),
    values: needs.map(() => random.below(5)),
  }));
  const first = new ModelBuilder();
  first.column({ ...some, cost: 100 });
  needs.forEach((need) => {
    first.row(need, Number.POSITIVE_INFINITY);
    first.add(0, 1);
  });
  const whole = new ModelBuilder();
  whole.column({ ...some, cost: 100 });
  for (const { cost } of foods) whole.column({ ...some, cost });
  needs.forEach((need, row) => {
    whole.row(need, Number.POSITIVE_INFINITY);
    whole.add(0, 1);
    foods.forEach(({ values }, food) => {
      whole.add(food + 1, values[row]);
    });
  });
  return { needs, foods, first: first.build(), whole: whole.build() };
}

describe.each(['highs', 'glpk'] as const)('the solver %s', (name) => {
  it('reaches the optimum of the whole model, at prices that prove it', async () => {
    const solver = await loadSolver(name);
    const random = new Random(testSeed + 11);
    for (let round = 0; round < 5; round++) {
      const { needs, foods, first, whole } = diet(random);
      const growing = solver.grow(first);
      let last = growing.solve();
      // One hundred for each unit of the greatest need.
      expect(last?.objective).toBeCloseTo(100 * Math.max(...needs), 6);
      for (const food of foods) {
        growing.add(food);
        last = growing.solve();
      }
      growing.close();
      const known = solver.solve(whole);
      expect(last?.objective).toBeCloseTo(known.status === 'optimal' ? known.objective : Number.NaN, 6);
      // Duality: the needs at their prices are worth what the foods cost, and no food costs less than what it has.
      const prices = last?.prices ?? new Float64Array();
      expect(needs.reduce((sum, need, row) => sum + need * prices[row], 0)).toBeCloseTo(last?.objective ?? 0, 6);
      for (const { cost, values } of foods) {
        expect(values.reduce((sum, value, row) => sum + value * prices[row], 0)).toBeLessThanOrEqual(cost + 1e-6);
      }
    }
  });

  it('has no answer where there is none', async () => {
    const solver = await loadSolver(name);
    const impossible = new ModelBuilder();
    impossible.column({ lower: 0, upper: 1, whole: false });
    impossible.row(2, Number.POSITIVE_INFINITY);
    impossible.add(0, 1);
    const growing = solver.grow(impossible.build());
    expect(growing.solve()).toBeUndefined();
    growing.add({ cost: 3, rows: [0], values: [1] });
    expect(growing.solve()?.objective).toBeCloseTo(3, 6);
    growing.close();
  });
});

/** Errors, order and regret, by values worked out by hand. */
import { describe, expect, it } from 'vitest';
import { lineThrough } from '../../src/calibrate/floor.ts';
import { median, quantile, regret, relativeError, spearman } from '../../src/calibrate/statistics.ts';

describe('statistics of errors', () => {
  it('takes quantiles between values by a line', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(quantile([0, 10, 20, 30, 40], 0.9)).toBeCloseTo(36, 12);
  });

  it('says how much longer or shorter, the same both ways', () => {
    expect(relativeError(3, 2)).toBeCloseTo(0.5, 12);
    expect(relativeError(2, 3)).toBeCloseTo(0.5, 12);
  });

  it('correlates ranks as the textbook does: 1 − 6 Σd² / n(n² − 1) without ties', () => {
    // d = 0, 1, −1, 1, −1: Σd² = 4, n = 5.
    expect(spearman([1, 2, 3, 4, 5], [10, 30, 20, 50, 40])).toBeCloseTo(1 - 24 / 120, 12);
    expect(spearman([1, 2, 3], [3, 2, 1])).toBeCloseTo(-1, 12);
    // Ties share their places: 1, 2.5, 2.5, 4 against 1, 2, 3, 4 gives 4.5 / √(4.5 · 5).
    expect(spearman([1, 2, 2, 3], [1, 2, 3, 4])).toBeCloseTo(4.5 / Math.sqrt(4.5 * 5), 12);
    expect(spearman([1, 1], [1, 2])).toBeUndefined();
  });

  it('charges the plan that predictions choose with what it takes over the best', () => {
    expect(regret([10, 12, 9], [1, 2, 3])).toBeCloseTo(10 / 9 - 1, 12);
    expect(regret([10, 12, 9], [3, 2, 1])).toBe(0);
  });
});

describe('a line of its own for each configuration', () => {
  it('is found where there is one, and keeps both numbers from going below 0', () => {
    const on = (size: number, seconds: number) => ({ size, seconds });
    const { constant, perByte } = lineThrough([1000, 2000, 8000].map((size) => on(size, 3e-6 + size * 2e-9)));
    expect(constant).toBeCloseTo(3e-6, 12);
    expect(perByte).toBeCloseTo(2e-9, 15);
    expect(lineThrough([on(1000, 5e-6), on(2000, 4e-6)]).perByte).toBe(0);
    expect(lineThrough([on(1000, 1e-6), on(4000, 8e-6)]).constant).toBe(0);
    expect(lineThrough([on(1000, 7e-6)]).constant).toBeCloseTo(7e-6, 15);
    expect(lineThrough([on(1000, 7e-6)]).perByte).toBe(0);
  });
});

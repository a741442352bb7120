/** Times read off lines, against piecewise straight functions that are known. */
import { describe, expect, it } from 'vitest';
import { sizeSeries } from '../../src/tune/ranges.ts';
import { TimeCurve } from '../../src/tune/time-curve.ts';

/** A short message's chain of latencies, then a busy link, then one that is slower but has less latency. */
const seconds = (size: number): number => Math.max(4e-6 + size / 400e9, 2e-6 + size / 100e9, 1e-6 + size / 64e9);

function counting(): { curve: TimeCurve; simulations: () => number } {
  let count = 0;
  const curve = new TimeCurve((size) => {
    count++;
    return seconds(size);
  });
  return { curve, simulations: () => count };
}

describe('times read off lines', () => {
  it.each(['ascending', 'descending'])('are right at all sizes, asked for in %s order', (order) => {
    const { curve } = counting();
    const sizes = sizeSeries(2 ** 10, 2 ** 30, 200);
    for (const size of order === 'ascending' ? sizes : sizes.toReversed()) {
      expect(curve.at(size) / seconds(size)).toBeCloseTo(1, 8);
    }
  });

  it('take few simulations, asked for from the ends inwards', () => {
    const { curve, simulations } = counting();
    const inwards = (low: number, high: number): void => {
      const middle = Math.round(Math.sqrt(low * high));
      if (middle === low || middle === high || high < low * 1.1) return;
      expect(curve.at(middle) / seconds(middle)).toBeCloseTo(1, 8);
      inwards(low, middle);
      inwards(middle, high);
    };
    curve.at(2 ** 10);
    curve.at(2 ** 30);
    inwards(2 ** 10, 2 ** 30);
    // Three lines: of 256 sizes those are simulated that lie next to where they meet.
    expect(simulations()).toBeLessThan(40);
  });

  it('are simulated where every digit counts', () => {
    const { curve, simulations } = counting();
    for (const size of [1, 3, 5].map((n) => n * 2 ** 28)) curve.at(size);
    expect(simulations()).toBe(3);
    curve.at(2 ** 29);
    expect(simulations()).toBe(3);
    expect(curve.exactlyAt(2 ** 29)).toBe(seconds(2 ** 29));
    expect(simulations()).toBe(4);
  });

  it('are not read off beyond what was simulated', () => {
    const { curve } = counting();
    for (const size of [2 ** 28, 2 ** 29, 2 ** 30]) curve.at(size);
    expect(curve.at(0)).toBe(4e-6);
  });
});

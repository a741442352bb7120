import { describe, expect, it } from 'vitest';
import { greatestCommonDivisor, leastCommonMultiple } from '../../src/ir/whole-numbers.ts';

describe('whole numbers', () => {
  it('have a greatest common divisor and a least common multiple', () => {
    expect(greatestCommonDivisor(12, 18)).toBe(6);
    expect(greatestCommonDivisor(7, 0)).toBe(7);
    expect(greatestCommonDivisor(0, 7)).toBe(7);
    expect(leastCommonMultiple(4, 6)).toBe(12);
  });

  it('that are none end the search for divisors', () => {
    expect(greatestCommonDivisor(7, Number.NaN)).toBe(7);
  });
});

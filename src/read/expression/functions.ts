/** The functions that expressions may call. */
import { bit, ceilLog2, exactResult, floorLog2, gcd, popcount, powerOfTwoTest, widestGap } from './arithmetic.ts';
import type { ExpressionFunction } from './scope.ts';

const many = Number.POSITIVE_INFINITY;

export const standardFunctions: ReadonlyMap<string, ExpressionFunction> = new Map<string, ExpressionFunction>([
  ['min', { least: 1, most: many, apply: (args) => args.reduce((a, b) => Math.min(a, b)) }],
  ['max', { least: 1, most: many, apply: (args) => args.reduce((a, b) => Math.max(a, b)) }],
  ['abs', { least: 1, most: 1, apply: ([a]) => exactResult(Math.abs(a)) }],
  ['floor_log2', { least: 1, most: 1, apply: ([a]) => floorLog2(a) }],
  ['ceil_log2', { least: 1, most: 1, apply: ([a]) => ceilLog2(a) }],
  ['is_power_of_two', { least: 1, most: 1, apply: ([a]) => powerOfTwoTest(a) }],
  ['bit', { least: 2, most: 2, apply: ([a, i]) => bit(a, i) }],
  ['popcount', { least: 1, most: 1, apply: ([a]) => popcount(a) }],
  ['widest_gap', { least: 1, most: 1, apply: ([a]) => widestGap(a) }],
  ['gcd', { least: 2, most: 2, apply: ([a, b]) => gcd(a, b) }],
]);

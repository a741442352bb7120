/** What reduction operators make of whole numbers, without the limits of a type: for tests of what runs on real buffers. */
import type { ReductionOperator } from '../src/ir/collective.ts';

export const wholeNumberOperators: Readonly<
  Record<Exclude<ReductionOperator, 'minloc' | 'maxloc'>, (a: bigint, b: bigint) => bigint>
> = {
  sum: (a, b) => a + b,
  prod: (a, b) => a * b,
  max: (a, b) => (a > b ? a : b),
  min: (a, b) => (a < b ? a : b),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

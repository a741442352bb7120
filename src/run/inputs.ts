/**
 * The inputs of a run: for each rank a pattern whose period is a prime number of elements. Chunk sizes have other factors, so that a misplaced chunk
 * differs from the expected one.
 */
import type { ReductionOperator } from '../ir/collective.ts';
import { type Dtype, isFloatingPoint, isPair } from '../ir/dtype.ts';
import { type ElementValue, ValueIndexPair } from './elements.ts';
import { runs } from './limits.ts';

/** The period of a pattern, in elements. */
export const period = 8191;

/**
 * `exact`: floating-point inputs for which no order of the reduction rounds, so that results are compared bit by bit. `random`: arbitrary numbers
 * from −1 to 1; results are compared with a tolerance. Integer inputs are random bits in both cases, since integer operators are exact.
 */
export type InputKind = 'exact' | 'random';

export interface InputRequest {
  readonly dtype: Dtype;
  readonly op: ReductionOperator;
  readonly ranks: number;
  readonly kind: InputKind;
  readonly seed: number;
}

/** By type: all integers up to this magnitude are represented exactly. */
const exactUpTo: Partial<Readonly<Record<Dtype, number>>> = { f16: 2 ** 11, bf16: 2 ** 8, f32: 2 ** 24, f64: 2 ** 53 };

/** The value of element `index` (modulo the period) of a rank's input. */
export function inputValue(request: InputRequest, rank: number, index: number): ElementValue {
  const { dtype, op, ranks, kind, seed } = request;
  const at = index % period;
  const bits = hash(hash(hash(seed) ^ rank) ^ at);
  // Few different values, so that indices often decide; the indices are not in the order of the ranks.
  if (isPair(dtype)) return new ValueIndexPair((bits % runs.pairValues) - (runs.pairValues >> 1), hash(bits) | 0);
  if (!isFloatingPoint(dtype)) return (BigInt(hash(bits ^ 0x5bd1e995)) << 32n) | BigInt(bits);
  if (kind === 'random') return bits / 2 ** 31 - 1;
  const most = exactUpTo[dtype] ?? 0;
  switch (op) {
    case 'prod': {
      // Only every so many ranks contribute a factor of 2; the others contribute ±1.
      const every = Math.ceil(ranks / runs.doublings);
      return ((bits & 1) === 0 ? 1 : -1) * ((rank + at) % every === 0 ? 2 : 1);
    }
    case 'sum': {
      // Keeps sums of all subsets exact: the values are small, or only so many ranks contribute values other than 0.
      const each = Math.min(1000, Math.floor(most / ranks));
      if (each >= 1) return (bits % (2 * each + 1)) - each;
      return (rank + at) % Math.ceil(ranks / most) === 0 ? (bits % 3) - 1 : 0;
    }
    default:
      return (bits % (2 * most + 1)) - most;
  }
}

/** A 32-bit mixing function: the finaliser of MurmurHash3. */
function hash(value: number): number {
  let h = (value + 0x9e3779b9) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

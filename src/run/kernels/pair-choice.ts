/**
 * Vector code that chooses between pairs of a value and an index, one or two per vector: comparisons yield masks, which are spread over whole pairs.
 */
import { dtypeBytes, type PairDtype, type PlainDtype, pairParts } from '../../ir/dtype.ts';
import { type Code, get, set, simd, type VectorLocals } from './assembler.ts';

/** Opcodes of the comparisons, lane by lane: equal, unequal, less, greater. */
interface Comparisons {
  readonly eq: Code;
  readonly ne: Code;
  readonly lt: Code;
  readonly gt: Code;
}

const comparisons: Partial<Readonly<Record<PlainDtype, Comparisons>>> = {
  i16: { eq: simd(45), ne: simd(46), lt: simd(47), gt: simd(49) },
  i32: { eq: simd(55), ne: simd(56), lt: simd(57), gt: simd(59) },
  i64: { eq: simd(214), ne: simd(215), lt: simd(216), gt: simd(217) },
  f32: { eq: simd(65), ne: simd(66), lt: simd(67), gt: simd(68) },
  f64: { eq: simd(71), ne: simd(72), lt: simd(73), gt: simd(74) },
};

const [and, andNot, or, bitselect] = [simd(78), simd(79), simd(80), simd(82)];

/**
 * Chooses the pair with the smaller or larger value; NaN counts as smaller or larger than every number. Of equal values (−0 = +0) it chooses the one
 * with the smaller index. A pair is copied as a whole, including padding between its parts.
 */
export function pairChoice(dtype: PairDtype, op: 'minloc' | 'maxloc', scratch: VectorLocals): Code | undefined {
  const { left, right } = scratch;
  const { value, indexAt } = pairParts[dtype];
  const values = comparisons[value];
  if (values === undefined || comparisons.i32 === undefined) return undefined;
  const of = (comparison: Code): Code => [...get(left), ...get(right), ...comparison];
  const noNumber = (local: number): Code => [...get(local), ...get(local), ...values.ne];
  const onlyLeft = [...noNumber(left), ...noNumber(right), ...andNot];
  const isBetter = [...of(op === 'minloc' ? values.lt : values.gt), ...onlyLeft, ...or];
  const isTie = [...of(values.eq), ...noNumber(left), ...noNumber(right), ...and, ...or];
  const isEarlier = [...of(comparisons.i32.lt), ...spread(dtype, indexAt)];
  const chosen = [...isBetter, ...spread(dtype, 0), ...isTie, ...spread(dtype, 0), ...isEarlier, ...and, ...or];
  return [...set(right), ...set(left), ...get(left), ...get(right), ...chosen, ...bitselect];
}

/** Spreads the byte at `at` of a mask over each whole pair: i8x16.swizzle with constant lanes. */
function spread(dtype: PairDtype, at: number): Code {
  const size = dtypeBytes[dtype];
  const lanes = Array.from({ length: 16 }, (_, byte) => Math.floor(byte / size) * size + at);
  return [...simd(12), ...lanes, ...simd(14)];
}

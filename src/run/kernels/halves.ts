/**
 * The 16-bit floating-point types in vectors: numbers lie in the low half of 32-bit lanes and are computed in single precision. Rounding is
 * to the nearest, ties to even, as IEEE 754 wants it.
 */
import { type Code, get, i32Const, set, simd, splatWord, tee, type VectorLocals } from './assembler.ts';

const and = simd(78);
const or = simd(80);
const bitselect = simd(82);
const shiftLeft = simd(171);
const shiftRight = simd(173);
const add = simd(174);
const subtract = simd(177);
const greaterUnsigned = simd(60);
const lessUnsigned = simd(58);
const floatAdd = simd(228);
const floatMultiply = simd(230);

/** bf16 is the upper half of a single: nothing but a shift. */
export function decodeBfloat16(local: number): Code {
  return [...get(local), ...i32Const(16), ...shiftLeft];
}

/** The single on the stack rounded to its upper half: half a unit less one, and one more where the last bit kept is odd. */
export function encodeBfloat16({ left }: VectorLocals): Code {
  const odd = [...get(left), ...i32Const(16), ...shiftRight, ...splatWord(1), ...and];
  const rounded = [...get(left), ...splatWord(0x7fff), ...add, ...odd, ...add, ...i32Const(16), ...shiftRight];
  const magnitude = [...get(left), ...splatWord(0x7fffffff), ...and];
  const isNotNumber = [...magnitude, ...splatWord(0x7f800000), ...greaterUnsigned];
  // A NaN keeps its sign and is made quiet; rounding could carry it into an infinity.
  const quiet = [...get(left), ...i32Const(16), ...shiftRight, ...splatWord(0x40), ...or];
  return [...set(left), ...quiet, ...rounded, ...isNotNumber, ...bitselect];
}

/**
 * An f16 in the low half of each lane of a local as a single: exponent and fraction put in place are the number divided by 2¹¹², also where it
 * is subnormal; infinities and NaN get the largest exponent.
 */
export function decodeHalf(local: number, { other }: VectorLocals): Code {
  const magnitude = [...get(local), ...splatWord(0x7fff), ...and, ...i32Const(13), ...shiftLeft, ...tee(other)];
  const scaled = [...magnitude, ...splatWord(0x77800000), ...floatMultiply];
  const special = [...get(other), ...splatWord(0x0f7fffff), ...greaterUnsigned, ...splatWord(0x7f800000), ...and];
  const sign = [...get(local), ...splatWord(0x8000), ...and, ...i32Const(16), ...shiftLeft];
  return [...scaled, ...special, ...or, ...sign, ...or];
}

/** The single on the stack as f16 in the low half of each lane. */
export function encodeHalf({ left, right, other }: VectorLocals): Code {
  // left: the single; right: its magnitude; other: the magnitude encoded.
  const magnitude = [...set(left), ...get(left), ...splatWord(0x7fffffff), ...and, ...set(right)];
  const odd = [...get(right), ...i32Const(13), ...shiftRight, ...splatWord(1), ...and];
  // The exponent is moved from a bias of 127 to one of 15; then rounded as bf16 is.
  const rebased = [...get(right), ...splatWord(0xc8000fff), ...add, ...odd, ...add, ...i32Const(13), ...shiftRight];
  // Adding a half lets the floating-point unit round a subnormal to multiples of 2⁻²⁴.
  const half = 0x3f000000;
  const subnormal = [...get(right), ...splatWord(half), ...floatAdd, ...splatWord(half), ...subtract];
  const isSubnormal = [...get(right), ...splatWord(0x38800000), ...lessUnsigned];
  const finite = [...subnormal, ...rebased, ...isSubnormal, ...bitselect, ...set(other)];
  const isNotNumber = [...get(right), ...splatWord(0x7f800000), ...greaterUnsigned];
  const special = [...splatWord(0x7e00), ...splatWord(0x7c00), ...isNotNumber, ...bitselect];
  const isSpecial = [...get(right), ...splatWord(0x477fffff), ...greaterUnsigned];
  const sign = [...get(left), ...i32Const(16), ...shiftRight, ...splatWord(0x8000), ...and];
  return [...magnitude, ...finite, ...special, ...get(other), ...isSpecial, ...bitselect, ...sign, ...or];
}

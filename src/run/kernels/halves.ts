/**
 * The 16-bit floating-point types in vectors: each number is in the low half of a 32-bit lane, and is computed in single precision. Rounding is to
 * nearest, ties to even (IEEE 754).
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

/** Converts bf16 to single precision: bf16 is the upper half of a single, so that a shift suffices. */
export function decodeBfloat16(local: number): Code {
  return [...get(local), ...i32Const(16), ...shiftLeft];
}

/** Rounds the single on the stack to its upper half: adds half a unit minus one, plus one if the last remaining bit is odd. */
export function encodeBfloat16({ left }: VectorLocals): Code {
  const odd = [...get(left), ...i32Const(16), ...shiftRight, ...splatWord(1), ...and];
  const rounded = [...get(left), ...splatWord(0x7fff), ...add, ...odd, ...add, ...i32Const(16), ...shiftRight];
  const magnitude = [...get(left), ...splatWord(0x7fffffff), ...and];
  const isNotNumber = [...magnitude, ...splatWord(0x7f800000), ...greaterUnsigned];
  // A NaN keeps its sign and becomes quiet, since rounding could turn it into an infinity.
  const quiet = [...get(left), ...i32Const(16), ...shiftRight, ...splatWord(0x40), ...or];
  return [...set(left), ...quiet, ...rounded, ...isNotNumber, ...bitselect];
}

/**
 * Converts the f16 in the low half of each lane of a local to a single. Shifting exponent and fraction into place gives the number divided by 2¹¹²,
 * also for subnormal numbers; infinities and NaN get the maximum exponent.
 */
export function decodeHalf(local: number, { other }: VectorLocals): Code {
  const magnitude = [...get(local), ...splatWord(0x7fff), ...and, ...i32Const(13), ...shiftLeft, ...tee(other)];
  const scaled = [...magnitude, ...splatWord(0x77800000), ...floatMultiply];
  const special = [...get(other), ...splatWord(0x0f7fffff), ...greaterUnsigned, ...splatWord(0x7f800000), ...and];
  const sign = [...get(local), ...splatWord(0x8000), ...and, ...i32Const(16), ...shiftLeft];
  return [...scaled, ...special, ...or, ...sign, ...or];
}

/** Converts the single on the stack to f16 in the low half of each lane. */
export function encodeHalf({ left, right, other }: VectorLocals): Code {
  // left: the single; right: its magnitude; other: the encoded magnitude.
  const magnitude = [...set(left), ...get(left), ...splatWord(0x7fffffff), ...and, ...set(right)];
  const odd = [...get(right), ...i32Const(13), ...shiftRight, ...splatWord(1), ...and];
  // Changes the bias of the exponent from 127 to 15, then rounds as for bf16.
  const rebased = [...get(right), ...splatWord(0xc8000fff), ...add, ...odd, ...add, ...i32Const(13), ...shiftRight];
  // Adding 0.5 makes the floating-point unit round a subnormal result to a multiple of 2⁻²⁴.
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

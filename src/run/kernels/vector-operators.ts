/**
 * Each reduction operator on each element type, as instructions that pop two vectors and push their combination. Minimum and maximum of
 * floating-point numbers are JavaScript's: NaN wins, and −0 < +0. Integers wrap around.
 */
import type { ReductionOperator } from '../../ir/collective.ts';
import { type Dtype, isPair } from '../../ir/dtype.ts';
import { type Code, get, i32Const, set, simd, splatWord, type VectorLocals } from './assembler.ts';
import { decodeBfloat16, decodeHalf, encodeBfloat16, encodeHalf } from './halves.ts';
import { pairChoice } from './pair-choice.ts';

type Operators = Readonly<Record<'sum' | 'prod' | 'max' | 'min', Code>>;

const single: Operators = { sum: simd(228), prod: simd(230), max: simd(233), min: simd(232) };
const double: Operators = { sum: simd(240), prod: simd(242), max: simd(245), min: simd(244) };

/** The product of two vectors of bytes, computed in the even and the odd bytes of 16-bit lanes. */
function byteProduct({ left, right }: VectorLocals): Code {
  const [mul, shl, shr, and, or] = [simd(149), simd(139), simd(141), simd(78), simd(80)];
  const even = [...get(left), ...get(right), ...mul, ...splatWord(0x00ff00ff), ...and];
  const shifted = (local: number): Code => [...get(local), ...i32Const(8), ...shr];
  const odd = [...shifted(left), ...shifted(right), ...mul, ...i32Const(8), ...shl];
  return [...set(right), ...set(left), ...even, ...odd, ...or];
}

/**
 * The larger or smaller of 64-bit integers, for which there is no instruction: a comparison selects. Unsigned operands have their sign bits flipped
 * first.
 */
function longChoice({ left, right }: VectorLocals, isUnsigned: boolean, larger: boolean): Code {
  const compared = (local: number): Code => (isUnsigned ? [...get(local), ...signBits, ...simd(81)] : get(local));
  const comparison = simd(larger ? 217 : 216);
  const choose = [...get(left), ...get(right), ...compared(left), ...compared(right), ...comparison];
  return [...set(right), ...set(left), ...choose, ...simd(82)];
}

/** The sign bit of both 64-bit lanes. */
const signBits: Code = [...simd(12), 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x80];

function integer(dtype: Dtype, scratch: VectorLocals): Operators | undefined {
  switch (dtype) {
    case 'i8':
      return { sum: simd(110), prod: byteProduct(scratch), max: simd(120), min: simd(118) };
    case 'u8':
      return { sum: simd(110), prod: byteProduct(scratch), max: simd(121), min: simd(119) };
    case 'i16':
      return { sum: simd(142), prod: simd(149), max: simd(152), min: simd(150) };
    case 'u16':
      return { sum: simd(142), prod: simd(149), max: simd(153), min: simd(151) };
    case 'i32':
      return { sum: simd(174), prod: simd(181), max: simd(184), min: simd(182) };
    case 'u32':
      return { sum: simd(174), prod: simd(181), max: simd(185), min: simd(183) };
    case 'i64':
    case 'u64': {
      const choice = (larger: boolean): Code => longChoice(scratch, dtype === 'u64', larger);
      return { sum: simd(206), prod: simd(213), max: choice(true), min: choice(false) };
    }
    default:
      return undefined;
  }
}

/**
 * Applies an operator to 16-bit floating-point numbers in single precision, in 32-bit lanes. Rounding the single again to 16 bits gives the correctly
 * rounded result.
 */
function widened(operator: Code, decode: (local: number) => Code, encode: Code, { left, right }: VectorLocals): Code {
  return [...set(right), ...set(left), ...decode(left), ...decode(right), ...operator, ...encode];
}

/** The instructions; undefined if the element type lacks the operator. */
export function vectorOperator(dtype: Dtype, op: ReductionOperator, scratch: VectorLocals): Code | undefined {
  if (op === 'and' || op === 'or' || op === 'xor') {
    if (integer(dtype, scratch) === undefined) return undefined;
    return simd({ and: 78, or: 80, xor: 81 }[op]);
  }
  if (op === 'minloc' || op === 'maxloc') return isPair(dtype) ? pairChoice(dtype, op, scratch) : undefined;
  switch (dtype) {
    case 'f32':
      return single[op];
    case 'f64':
      return double[op];
    case 'bf16':
      return widened(single[op], decodeBfloat16, encodeBfloat16(scratch), scratch);
    case 'f16':
      return widened(single[op], (local) => decodeHalf(local, scratch), encodeHalf(scratch), scratch);
    default:
      return integer(dtype, scratch)?.[op];
  }
}

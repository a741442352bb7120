/** Element types of the buffers that plans run on, and the reduction operators that apply to each. */
import { type ReductionOperator, reductionOperators } from './collective.ts';

const plainDtypes = ['i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64', 'f16', 'bf16', 'f32', 'f64'] as const;
/** Pairs of a value and an index, laid out as MPI's (`MPI_FLOAT_INT` is `struct { float value; int index; }`). */
export const pairDtypes = ['i16+i32', 'i32+i32', 'i64+i32', 'f32+i32', 'f64+i32'] as const;
export type PlainDtype = (typeof plainDtypes)[number];
export type PairDtype = (typeof pairDtypes)[number];

export const dtypes = [...plainDtypes, ...pairDtypes] as const;
export type Dtype = PlainDtype | PairDtype;

/** Bytes of one element. Those of a pair include the padding that aligns its parts, and the next pair, to their sizes. */
export const dtypeBytes: Readonly<Record<Dtype, number>> = {
  i8: 1,
  u8: 1,
  i16: 2,
  u16: 2,
  i32: 4,
  u32: 4,
  i64: 8,
  u64: 8,
  f16: 2,
  bf16: 2,
  f32: 4,
  f64: 8,
  'i16+i32': 8,
  'i32+i32': 8,
  'i64+i32': 16,
  'f32+i32': 8,
  'f64+i32': 16,
};

/** By pair type, the type of the value, which is at byte 0 of the pair, and the byte at which the index begins. */
export const pairParts: Readonly<Record<PairDtype, { readonly value: PlainDtype; readonly indexAt: number }>> = {
  'i16+i32': { value: 'i16', indexAt: 4 },
  'i32+i32': { value: 'i32', indexAt: 4 },
  'i64+i32': { value: 'i64', indexAt: 8 },
  'f32+i32': { value: 'f32', indexAt: 4 },
  'f64+i32': { value: 'f64', indexAt: 8 },
};

export function isPair(dtype: Dtype): dtype is PairDtype {
  return dtype.includes('+');
}

/** Floating-point sums depend on the order of the operands: the reason for the verifier's determinism report. */
export function isFloatingPoint(dtype: Dtype): boolean {
  return dtype === 'f16' || dtype === 'bf16' || dtype === 'f32' || dtype === 'f64';
}

/** The operators that combine elements of a type. */
export function operatorsOf(dtype: Dtype): readonly ReductionOperator[] {
  if (isPair(dtype)) return ['minloc', 'maxloc'];
  const integers: readonly ReductionOperator[] = ['and', 'or', 'xor'];
  return reductionOperators.filter((op) => {
    return op !== 'minloc' && op !== 'maxloc' && !(isFloatingPoint(dtype) && integers.includes(op));
  });
}

/** Why the operator does not apply to the type, as a clause for a message; undefined if it does. */
export function operatorLacking(op: ReductionOperator, dtype: Dtype): string | undefined {
  const has = operatorsOf(dtype);
  if (has.includes(op)) return undefined;
  const names = `${has.slice(0, -1).join(', ')} and ${has.at(-1)}`;
  if (isPair(dtype)) return `${op} does not work on pairs; ${dtype} has ${names}`;
  if (op === 'minloc' || op === 'maxloc') {
    return `${op} works on pairs of a value and an index only (${pairDtypes.join(', ')}); ${dtype} has ${names}`;
  }
  return `${op} works on integers only; ${dtype} has ${names}`;
}

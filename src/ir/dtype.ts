/** Element types of real buffers, and which reduction operators each of them has. */

export const dtypes = ['i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64', 'f16', 'bf16', 'f32', 'f64'] as const;
export type Dtype = (typeof dtypes)[number];

/** Bytes of one element. */
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
};

/** Floating-point sums depend on the order of the operands: the reason for the verifier's determinism report. */
export function isFloatingPoint(dtype: Dtype): boolean {
  return dtype === 'f16' || dtype === 'bf16' || dtype === 'f32' || dtype === 'f64';
}

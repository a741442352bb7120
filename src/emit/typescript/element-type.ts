/** JavaScript's typed array for each element type, and operators on its elements as expressions. */
import type { ReductionOperator } from '../../ir/collective.ts';
import type { Dtype } from '../../ir/dtype.ts';

export interface ElementType {
  /** The class of arrays that hold such elements. */
  readonly array: string;
  /**
   * How elements are computed: as `number` or `bigint`; `pair`: through other arrays on the same memory; `none`: the bit patterns can only be moved.
   */
  readonly arithmetic: 'number' | 'bigint' | 'pair' | 'none';
}

const pairs: ElementType = { array: 'BigUint64Array', arithmetic: 'pair' };

const elementTypes: Readonly<Record<Dtype, ElementType | undefined>> = {
  i8: { array: 'Int8Array', arithmetic: 'number' },
  u8: { array: 'Uint8Array', arithmetic: 'number' },
  i16: { array: 'Int16Array', arithmetic: 'number' },
  u16: { array: 'Uint16Array', arithmetic: 'number' },
  i32: { array: 'Int32Array', arithmetic: 'number' },
  u32: { array: 'Uint32Array', arithmetic: 'number' },
  i64: { array: 'BigInt64Array', arithmetic: 'bigint' },
  u64: { array: 'BigUint64Array', arithmetic: 'bigint' },
  f16: { array: 'Uint16Array', arithmetic: 'none' },
  bf16: { array: 'Uint16Array', arithmetic: 'none' },
  f32: { array: 'Float32Array', arithmetic: 'number' },
  f64: { array: 'Float64Array', arithmetic: 'number' },
  'i16+i32': pairs,
  'i32+i32': pairs,
  'f32+i32': pairs,
  'i64+i32': undefined,
  'f64+i32': undefined,
};

/** Returns undefined if JavaScript has no array with elements of that size. */
export function elementTypeOf(dtype: Dtype): ElementType | undefined {
  return elementTypes[dtype];
}

/** `left ⊕ right` as an expression; storing it in the array wraps integers and rounds f32. */
export function operatorExpression(op: ReductionOperator, dtype: Dtype, left: string, right: string): string {
  switch (op) {
    case 'sum':
      return `${left} + ${right}`;
    case 'prod':
      // A double holds the product of two 16-bit numbers exactly, but not that of two 32-bit numbers.
      return dtype === 'i32' || dtype === 'u32' ? `Math.imul(${left}, ${right})` : `${left} * ${right}`;
    case 'max':
    case 'min': {
      // Unlike a comparison, these return NaN if any operand is NaN.
      if (elementTypeOf(dtype)?.arithmetic === 'number') return `Math.${op}(${left}, ${right})`;
      return `${left} ${op === 'max' ? '>' : '<'} ${right} ? ${left} : ${right}`;
    }
    case 'and':
      return `${left} & ${right}`;
    case 'or':
      return `${left} | ${right}`;
    case 'xor':
      return `${left} ^ ${right}`;
    default:
      throw new Error(`${op} is of pairs`);
  }
}

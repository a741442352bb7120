/** Typed arrays of JavaScript for each element type, and operators on their elements as expressions. */
import type { ReductionOperator } from '../../ir/collective.ts';
import type { Dtype } from '../../ir/dtype.ts';

export interface ElementType {
  /** The class of arrays that hold such elements. */
  readonly array: string;
  /** How elements are computed with; `pair`: through other arrays on the same memory; `none`: bit patterns that can only be moved. */
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

/** Undefined where JavaScript has no array of elements of that many bytes. */
export function elementTypeOf(dtype: Dtype): ElementType | undefined {
  return elementTypes[dtype];
}

/** `left ⊕ right` as an expression; storing it in the array wraps integers and rounds f32. */
export function operatorExpression(op: ReductionOperator, dtype: Dtype, left: string, right: string): string {
  switch (op) {
    case 'sum':
      return `${left} + ${right}`;
    case 'prod':
      // Doubles hold the products of 16 bits exactly, but not those of 32.
      return dtype === 'i32' || dtype === 'u32' ? `Math.imul(${left}, ${right})` : `${left} * ${right}`;
    case 'max':
    case 'min': {
      // For floats, unlike a comparison, these give NaN whichever operand is NaN.
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

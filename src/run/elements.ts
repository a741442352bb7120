/** Elements in memory and as numbers. The encodings are implemented here once, independently of the kernels, which are checked against them. */
import {
  type Dtype,
  dtypeBytes,
  isFloatingPoint,
  isPair,
  type PairDtype,
  type PlainDtype,
  pairParts,
} from '../ir/dtype.ts';

/** The value of an element that is not a pair. 64-bit integers need bigint to be exact. */
export type PlainValue = number | bigint;

/** A value with an index. `minloc` and `maxloc` choose one of two pairs as a whole. */
export class ValueIndexPair {
  readonly value: PlainValue;
  readonly index: number;

  constructor(value: PlainValue, index: number) {
    this.value = value;
    this.index = index;
  }

  toString(): string {
    return `${this.value} at index ${this.index}`;
  }
}

/** The value of an element of any type. */
export type ElementValue = PlainValue | ValueIndexPair;

/** Reads the element that begins at a byte, a multiple of its size. */
export function decode(dtype: Dtype, view: DataView, byte: number): ElementValue {
  if (!isPair(dtype)) return decodePlain(dtype, view, byte);
  const { value, indexAt } = pairParts[dtype];
  return new ValueIndexPair(decodePlain(value, view, byte), view.getInt32(byte + indexAt, true));
}

function decodePlain(dtype: PlainDtype, view: DataView, byte: number): PlainValue {
  switch (dtype) {
    case 'i8':
      return view.getInt8(byte);
    case 'u8':
      return view.getUint8(byte);
    case 'i16':
      return view.getInt16(byte, true);
    case 'u16':
      return view.getUint16(byte, true);
    case 'i32':
      return view.getInt32(byte, true);
    case 'u32':
      return view.getUint32(byte, true);
    case 'i64':
      return view.getBigInt64(byte, true);
    case 'u64':
      return view.getBigUint64(byte, true);
    case 'f16':
      return halfValue(view.getUint16(byte, true), 5, 10);
    case 'bf16':
      return halfValue(view.getUint16(byte, true), 8, 7);
    case 'f32':
      return view.getFloat32(byte, true);
    case 'f64':
      return view.getFloat64(byte, true);
  }
}

/** Writes a value, rounded to the nearest number of the type (ties to even); integers wrap around. */
export function encode(dtype: Dtype, view: DataView, byte: number, value: ElementValue): void {
  if (!(value instanceof ValueIndexPair)) encodePlain(dtype, view, byte, value);
  else if (isPair(dtype)) encodePair(dtype, view, byte, value);
  else throw new Error(`${dtype} holds no pairs`);
}

function encodePair(dtype: PairDtype, view: DataView, byte: number, pair: ValueIndexPair): void {
  const { value, indexAt } = pairParts[dtype];
  encodePlain(value, view, byte, pair.value);
  view.setInt32(byte + indexAt, pair.index, true);
}

function encodePlain(dtype: Dtype, view: DataView, byte: number, value: PlainValue): void {
  if (isFloatingPoint(dtype)) encodeNumber(dtype, view, byte, Number(value));
  else encodeInteger(dtypeBytes[dtype], view, byte, BigInt(value));
}

function encodeNumber(dtype: Dtype, view: DataView, byte: number, value: number): void {
  if (dtype === 'f64') view.setFloat64(byte, value, true);
  else if (dtype === 'f32') view.setFloat32(byte, value, true);
  else view.setUint16(byte, dtype === 'f16' ? halfBits(value, 5, 10) : halfBits(value, 8, 7), true);
}

function encodeInteger(bytes: number, view: DataView, byte: number, value: bigint): void {
  const bits = BigInt.asUintN(8 * bytes, value);
  if (bytes === 8) view.setBigUint64(byte, bits, true);
  else if (bytes === 4) view.setUint32(byte, Number(bits), true);
  else if (bytes === 2) view.setUint16(byte, Number(bits), true);
  else view.setUint8(byte, Number(bits));
}

/** The value of a floating-point number (IEEE 754) with a sign bit and the given numbers of exponent and fraction bits. */
function halfValue(bits: number, exponentBits: number, fractionBits: number): number {
  const bias = 2 ** (exponentBits - 1) - 1;
  const sign = bits >= 0x8000 ? -1 : 1;
  const exponent = (bits & 0x7fff) >> fractionBits;
  const fraction = (bits & (2 ** fractionBits - 1)) / 2 ** fractionBits;
  if (exponent === 2 ** exponentBits - 1) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** (1 - bias) : sign * (1 + fraction) * 2 ** (exponent - bias);
}

/** The bits of the nearest number of that format. */
function halfBits(value: number, exponentBits: number, fractionBits: number): number {
  const bias = 2 ** (exponentBits - 1) - 1;
  const infinity = (2 ** exponentBits - 1) << fractionBits;
  if (Number.isNaN(value)) return infinity | (1 << (fractionBits - 1));
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude === Number.POSITIVE_INFINITY) return sign | infinity;
  const exponent = Math.max(1 - bias, magnitude === 0 ? 1 - bias : exponentOf(magnitude));
  // The magnitude in units of the last place. A carry out of the fraction increments the exponent as it should, in the end to infinity.
  const units = nearestEven(magnitude / 2 ** (exponent - fractionBits));
  return sign | Math.min(infinity, ((exponent + bias - 1) << fractionBits) + units);
}

/** The e with 2ᵉ ≤ x < 2ᵉ⁺¹. The computed logarithm may be off by one due to rounding. */
function exponentOf(x: number): number {
  const guess = Math.floor(Math.log2(x));
  if (2 ** guess > x) return guess - 1;
  return 2 ** (guess + 1) <= x ? guess + 1 : guess;
}

function nearestEven(x: number): number {
  const below = Math.floor(x);
  const rest = x - below;
  if (rest !== 0.5) return below + (rest > 0.5 ? 1 : 0);
  return below % 2 === 0 ? below : below + 1;
}

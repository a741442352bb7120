/** What the engines compute, number by number, in the element types that they reduce. */
import { CommandError, requireThat } from './fields.ts';

/** Numbers of one element type. */
export interface Arithmetic {
  readonly bytes: number;
  readonly operators: ReadonlySet<string>;
  combine(operator: string, held: Uint8Array, other: Uint8Array): Uint8Array;
}

const float: readonly string[] = ['add', 'mul', 'max', 'min'];
const sizes: Readonly<Record<string, number>> = {
  ...{ i8: 1, u8: 1, i16: 2, u16: 2, i32: 4, u32: 4, i64: 8, u64: 8, f16: 2, bf16: 2, f32: 4, f64: 8 },
};

export function arithmeticOf(dtype: string): Arithmetic {
  const bytes = sizes[dtype];
  requireThat(bytes !== undefined, `there is no element type ${dtype}`);
  const access = accessOf(dtype);
  return {
    bytes,
    operators: new Set(access === undefined ? [] : dtype === 'i32' ? ['add', 'max', 'min'] : float),
    combine(operator, held, other) {
      const result = new Uint8Array(held.length);
      const [a, b, c] = [held, other, result].map((array) => new DataView(array.buffer, array.byteOffset));
      if (access === undefined) throw new CommandError(`no arithmetic of ${dtype}`);
      for (let at = 0; at < held.length; at += bytes) {
        access.set(c, at, applied(operator, access.get(a, at), access.get(b, at)));
      }
      return result;
    },
  };
}

function applied(operator: string, a: number, b: number): number {
  switch (operator) {
    case 'add':
      return a + b;
    case 'mul':
      return a * b;
    case 'max':
      return Math.max(a, b);
    default:
      return Math.min(a, b);
  }
}

interface Access {
  get(view: DataView, at: number): number;
  set(view: DataView, at: number, value: number): void;
}

/** Reads and writes a number of the element types that are reduced. */
function accessOf(dtype: string): Access | undefined {
  switch (dtype) {
    case 'f32':
      return { get: (v, at) => v.getFloat32(at, true), set: (v, at, value) => v.setFloat32(at, value, true) };
    case 'i32':
      return { get: (v, at) => v.getInt32(at, true), set: (v, at, value) => v.setInt32(at, value | 0, true) };
    case 'f16':
      return { get: (v, at) => fromHalf(v.getUint16(at, true)), set: (v, at, x) => v.setUint16(at, toHalf(x), true) };
    case 'bf16':
      return {
        get: (v, at) => fromBfloat(v.getUint16(at, true)),
        set: (v, at, x) => v.setUint16(at, toBfloat(x), true),
      };
    default:
      return undefined;
  }
}

const wide = new DataView(new ArrayBuffer(4));

/** The number that 16 bits of IEEE binary16 are. */
export function fromHalf(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 === 1 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** The nearest binary16, ties to even. */
export function toHalf(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(size)) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  const exponent = Math.max(-14, Math.floor(Math.log2(size === 0 ? 1e-9 : size)));
  const steps = evenly(size * 2 ** (10 - exponent));
  // Steps beyond a binade carry into the exponent by themselves.
  return sign | (((exponent + 14) << 10) + steps);
}

function evenly(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
}

function fromBfloat(bits: number): number {
  wide.setUint32(0, bits * 2 ** 16);
  return wide.getFloat32(0);
}

/** The upper half of a binary32, ties to even. */
function toBfloat(value: number): number {
  wide.setFloat32(0, value);
  const bits = wide.getUint32(0);
  const kept = Math.floor(bits / 2 ** 16);
  const rest = bits % 2 ** 16;
  return rest > 0x8000 || (rest === 0x8000 && kept % 2 === 1) ? kept + 1 : kept;
}

/** Every operator on every element type, against JavaScript's own arithmetic, on random bits of any length. */
import { describe, expect, it } from 'vitest';
import { type ReductionOperator, reductionOperators } from '../../src/ir/collective.ts';
import { CccError } from '../../src/ir/diagnostic.ts';
import { type Dtype, dtypeBytes, dtypes, isFloatingPoint, isPair } from '../../src/ir/dtype.ts';
import { Random } from '../../src/ir/random.ts';
import { decode, type ElementValue, encode, ValueIndexPair } from '../../src/run/elements.ts';
import { loadKernel } from '../../src/run/kernels/kernel.ts';
import { Memory } from '../../src/run/kernels/web-assembly.ts';
import { testSeed } from '../draw.ts';
import { wholeNumberOperators } from '../operators.ts';

const memory = new Memory({ initial: 2, maximum: 65_536, shared: true });
const bytes = new Uint8Array(memory.buffer);
const view = new DataView(memory.buffer);

const numbers: Partial<Readonly<Record<ReductionOperator, (a: number, b: number) => number>>> = {
  sum: (a, b) => a + b,
  prod: (a, b) => a * b,
  max: Math.max,
  min: Math.min,
};

function combined(dtype: Dtype, op: ReductionOperator, a: ElementValue, b: ElementValue): ElementValue {
  const one = new DataView(new ArrayBuffer(8));
  if (a instanceof ValueIndexPair || b instanceof ValueIndexPair || op === 'minloc' || op === 'maxloc')
    throw new Error('pairs are tested below');
  const result = isFloatingPoint(dtype)
    ? (numbers[op]?.(Number(a), Number(b)) ?? Number.NaN)
    : wholeNumberOperators[op](BigInt(a), BigInt(b));
  encode(dtype, one, 0, result);
  return decode(dtype, one, 0);
}

const typed = dtypes
  .filter((dtype) => !isPair(dtype))
  .flatMap((dtype) =>
    reductionOperators
      .filter((op) => (isFloatingPoint(dtype) ? numbers[op] !== undefined : op !== 'minloc' && op !== 'maxloc'))
      .map((op) => ({ dtype, op, size: dtypeBytes[dtype] })),
  );

describe('kernels', () => {
  it.each(typed)('$op of $dtype', ({ dtype, op, size }) => {
    const kernel = loadKernel(memory, dtype, op);
    const random = new Random(testSeed + 7);
    // One element before the target and one behind must stay as they are, wherever the vectors lie.
    for (const count of [0, 1, 2, 3, 7, 8, 15, 16, 31, 64, 65, 1000]) {
      const target = 64 + size * (count % 3);
      const [left, right] = [target + (count + 2) * size, target + (2 * count + 5) * size];
      for (let at = 0; at < right + count * size + 64; at++) bytes[at] = random.below(256);
      const before = bytes.slice();
      kernel.reduce(target, left, right, count * size);
      for (let i = 0; i < count; i++) {
        const [a, b] = [decode(dtype, view, left + i * size), decode(dtype, view, right + i * size)];
        const found = decode(dtype, view, target + i * size);
        if (!Object.is(found, combined(dtype, op, a, b))) throw new Error(`${a} ${op} ${b} is not ${found}`);
      }
      const untouched = (from: number, to?: number): boolean =>
        Buffer.from(before.slice(from, to)).equals(bytes.slice(from, to));
      expect(untouched(0, target) && untouched(target + count * size)).toBe(true);
    }
  });

  it.each(['f16', 'bf16'] as const)('every %s, special ones too', (dtype) => {
    const kernel = loadKernel(memory, dtype, 'sum');
    const specials = [1, 0x3c00, 0x7bff, 0xfc00, 0x7f80];
    for (const special of specials) {
      for (let first = 0; first < 65_536; first += 8192) {
        for (let i = 0; i < 8192; i++) {
          view.setUint16(64 + 2 * i, first + i, true);
          view.setUint16(32_768 + 2 * i, special, true);
        }
        kernel.reduce(65_536, 64, 32_768, 2 * 8192);
        for (let i = 0; i < 8192; i++) {
          const [a, b] = [decode(dtype, view, 64 + 2 * i), decode(dtype, view, 32_768)];
          const found = decode(dtype, view, 65_536 + 2 * i);
          if (!Object.is(found, combined(dtype, 'sum', a, b))) throw new Error(`${a} + ${b} is not ${found}`);
        }
      }
    }
  });

  it('combines in place', () => {
    const kernel = loadKernel(memory, 'i32', 'sum');
    for (let i = 0; i < 100; i++) {
      view.setInt32(64 + 4 * i, i, true);
      view.setInt32(1024 + 4 * i, 1000 * i, true);
    }
    kernel.reduce(64, 64, 1024, 400);
    kernel.reduce(64, 1024, 64, 400);
    for (let i = 0; i < 100; i++) expect(view.getInt32(64 + 4 * i, true)).toBe(2001 * i);
  });

  it('refuses bitwise operators on floating-point numbers', () => {
    expect(() => loadKernel(memory, 'f16', 'xor')).toThrow(CccError);
  });
});

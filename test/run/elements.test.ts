/** Encodings of the 16-bit floating-point types, against the singles that bf16 is half of and against all neighbours. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../src/run/elements.ts';

const view = new DataView(new ArrayBuffer(8));

function numberOf(dtype: 'f16' | 'bf16', bits: number): number {
  view.setUint16(0, bits, true);
  return Number(decode(dtype, view, 0));
}

function bitsOf(dtype: 'f16' | 'bf16', value: number): number {
  encode(dtype, view, 0, value);
  return view.getUint16(0, true);
}

describe('16-bit floating-point numbers', () => {
  it('reads bf16 as the upper half of a single', () => {
    for (let bits = 0; bits < 65_536; bits++) {
      const single = new Float32Array(Uint32Array.of(bits << 16).buffer)[0];
      if (!Object.is(numberOf('bf16', bits), single)) throw new Error(`${bits} is ${single}`);
    }
  });

  it('reads f16 as IEEE 754 tabulates it', () => {
    const known: readonly (readonly [number, number])[] = [
      [0x0000, 0],
      [0x8000, -0],
      [0x0001, 2 ** -24],
      [0x03ff, 1023 * 2 ** -24],
      [0x0400, 2 ** -14],
      [0x3555, 0.333251953125],
      [0x3c00, 1],
      [0xc000, -2],
      [0x7bff, 65_504],
      [0x7c00, Number.POSITIVE_INFINITY],
      [0xfc00, Number.NEGATIVE_INFINITY],
      [0x7e00, Number.NaN],
    ];
    for (const [bits, value] of known) expect(numberOf('f16', bits)).toBe(value);
  });

  it.each(['f16', 'bf16'] as const)('writes what it reads: %s', (dtype) => {
    for (let bits = 0; bits < 65_536; bits++) {
      const value = numberOf(dtype, bits);
      if (!Number.isNaN(value) && bitsOf(dtype, value) !== bits) throw new Error(`${value} is not ${bits}`);
    }
    expect(numberOf(dtype, bitsOf(dtype, Number.NaN))).toBeNaN();
  });

  it.each(['f16', 'bf16'] as const)('rounds to the nearest, ties to even: %s', (dtype) => {
    const infinity = bitsOf(dtype, Number.POSITIVE_INFINITY);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: infinity - 2 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (bits, share) => {
          const [below, above] = [numberOf(dtype, bits), numberOf(dtype, bits + 1)];
          const middle = below + (above - below) / 2;
          const between = below + (above - below) * share;
          expect(bitsOf(dtype, middle)).toBe(bits % 2 === 0 ? bits : bits + 1);
          if (between !== middle) expect(bitsOf(dtype, between)).toBe(between < middle ? bits : bits + 1);
          expect(bitsOf(dtype, -between)).toBe(bitsOf(dtype, between) + 0x8000);
        },
      ),
    );
  });
});

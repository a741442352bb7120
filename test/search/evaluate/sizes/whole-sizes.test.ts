/** Parts of a shard as whole numbers of chunks. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SizeClasses } from '../../../../src/passes/index.ts';
import { wholeSizes } from '../../../../src/search/evaluate/sizes/whole-sizes.ts';

function classesOf(shards: readonly (readonly number[])[]): SizeClasses {
  const all = shards.flat();
  return {
    count: Math.max(...all) + 1,
    of: Int32Array.from(all),
    slots: all.length,
    shards: shards.map((shard) => Int32Array.from(shard)),
  };
}

describe('whole sizes', () => {
  it('give what is left to the largest remainders', () => {
    const sizes = wholeSizes(classesOf([[0, 1, 2]]), Float64Array.of(0.46, 0.27, 0.27), 10);
    // 4.6, 2.7 and 2.7 chunks: two are left after rounding down, for the two with 0.7.
    expect(sizes).toEqual(Int32Array.of(4, 3, 3));
  });

  it('add up in every shard, and are less than one chunk off', () => {
    const shard = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(shard, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 300 }), (raw, chunks) => {
        const amounts = raw.map((shard) => shard.map((amount) => amount + 1));
        let next = 0;
        const classes = classesOf(amounts.map((shard) => shard.map(() => next++)));
        const parts = amounts.flatMap((shard) => shard.map((amount) => amount / shard.reduce((a, b) => a + b)));
        const sizes = wholeSizes(classes, Float64Array.from(parts), chunks) ?? new Int32Array(0);
        for (const shard of classes.shards) expect(shard.reduce((sum, of) => sum + sizes[of], 0)).toBe(chunks);
        parts.forEach((part, of) => {
          expect(Math.abs(sizes[of] - part * chunks)).toBeLessThan(1);
        });
      }),
    );
  });

  it('do not exist where a shard of two equal chunks has an odd number', () => {
    expect(wholeSizes(classesOf([[0, 0]]), Float64Array.of(0.5), 7)).toBeUndefined();
    expect(wholeSizes(classesOf([[0, 0]]), Float64Array.of(0.5), 8)).toEqual(Int32Array.of(4));
  });
});

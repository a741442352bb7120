/** What is dropped from measured times, and what of it is said. */
import { describe, expect, it } from 'vitest';
import { clean, type RawTime, type Served } from '../../src/calibrate/clean.ts';

const any: Served = { inPlace: true, outOfPlace: true, chunks: undefined };

function times(...pairs: readonly (readonly [number, number])[]): readonly RawTime[] {
  return pairs.map(([size, seconds]) => ({ size, seconds, inPlace: undefined }));
}

describe('cleaning', () => {
  it('takes the median of repetitions, by ascending size', () => {
    const found = clean(times([8, 3], [4, 1], [8, 9], [8, 4]), any);
    expect(found.times).toEqual([
      { size: 4, seconds: 1 },
      { size: 8, seconds: 4 },
    ]);
    expect(found.repeated).toBe(2);
    expect([...found.dropped]).toEqual([]);
  });

  it('drops what the plan did not run', () => {
    const found = clean(times([0, 1], [12, 2], [16, 3], [18, 4]), { ...any, chunks: 4 });
    expect(found.times.map(({ size }) => size)).toEqual([12, 16]);
    expect([...found.dropped]).toEqual([
      ['of no bytes', 1],
      ['of sizes that do not divide into the chunks', 1],
    ]);
  });

  it('drops sizes that the file is not for, both ends included', () => {
    const found = clean(times([4, 1], [8, 2], [64, 3], [65, 4]), { ...any, messages: { least: 8, most: 64 } });
    expect(found.times.map(({ size }) => size)).toEqual([8, 64]);
    expect([...found.dropped]).toEqual([['of sizes that the file is not for (minBytes, maxBytes)', 2]]);
  });

  it('drops the column that a plan does not serve, and of two that it serves the one out of place', () => {
    const both: readonly RawTime[] = [true, false].map((inPlace) => ({ size: 4, seconds: inPlace ? 1 : 2, inPlace }));
    expect(clean(both, { ...any, inPlace: false }).times).toEqual([{ size: 4, seconds: 2 }]);
    expect(clean(both, any).times).toEqual([{ size: 4, seconds: 1 }]);
    expect([...clean(both, any).dropped.keys()]).toEqual(['out of place, where those in place are taken']);
  });

  it('drops spikes over five times both neighbours, and not the ends', () => {
    const kept = clean(times([1, 60], [2, 61], [4, 10], [8, 51], [16, 10.1]), any);
    expect(kept.times.map(({ size }) => size)).toEqual([4, 16]);
    expect([...kept.dropped]).toEqual([
      ['spikes of over five times both neighbours', 1],
      ['longer than one and a half times what a larger size took', 2],
    ]);
    expect(clean(times([1, 10], [2, 49], [4, 33]), any).times).toHaveLength(3);
    // A ring that was measured: 5.5 ms for 8 MiB, between 0.7 ms for half of it and 2.7 ms for twice as much.
    expect(clean(times([4, 0.728], [8, 5.478], [16, 2.739], [32, 5.39]), any).times.map(({ size }) => size)).toEqual([
      4, 16, 32,
    ]);
  });
});

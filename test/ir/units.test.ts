import { describe, expect, it } from 'vitest';
import { counted, formatBytes, formatBytesPerSecond, formatSeconds } from '../../src/ir/units.ts';

describe('quantities are printed', () => {
  it('in the unit that their four digits are in, whatever rounding errors they have', () => {
    expect(formatSeconds(0.3943e-3)).toBe('394.3 µs');
    expect(formatSeconds(1e-6)).toBe('1 µs');
    // A sum of latencies that misses a microsecond by its last bit.
    expect(formatSeconds(1e-6 * (1 - 2 ** -52))).toBe('1 µs');
    expect(formatSeconds(0.99996)).toBe('1 s');
    expect(formatSeconds(0.9999)).toBe('999.9 ms');
    expect(formatBytes(2 ** 20 - 1)).toBe('1 MiB');
    expect(formatBytes(1023)).toBe('1023 B');
    expect(formatBytesPerSecond(999_970_000)).toBe('1 GB/s');
  });

  it('in the least unit and the greatest where there is none beyond', () => {
    expect(formatSeconds(0)).toBe('0 s');
    expect(formatSeconds(5e-13)).toBe('0.5 ps');
    expect(formatSeconds(86_400)).toBe('86400 s');
    expect(formatBytes(2 ** 60)).toBe('1024 PiB');
    expect(formatBytesPerSecond(Number.POSITIVE_INFINITY)).toBe('unlimited');
  });
});

describe('numbers of things', () => {
  it('have a plural unless there is one', () => {
    expect([0, 1, 2].map((count) => counted(count, 'chip'))).toEqual(['0 chips', '1 chip', '2 chips']);
    expect(counted(2, 'process', 'processes')).toBe('2 processes');
  });
});

import { describe, expect, it } from 'vitest';
import {
  counted,
  formatBytes,
  formatBytesPerSecond,
  formatSeconds,
  parseBytes,
  parseBytesPerSecond,
} from '../../src/ir/units.ts';

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

describe('quantities are read as people type them', () => {
  it.each([
    ['64 GB/s', 64e9],
    ['50GiB/s', 50 * 2 ** 30],
    ['400 Gbit/s', 50e9],
    ['200 Gb/s', 25e9],
    ['200Gbps', 25e9],
    ['25 GBps', 25e9],
    ['100 Mb/s', 12.5e6],
    ['8 b/s', 1],
  ])('the rate %s', (text, value) => expect(parseBytesPerSecond(text)).toEqual({ value }));

  it.each(['200 G/s', '200 Gb', '200', '1 ps', '200 gb/s', 'Gb/s'])('no rate: %s', (text) =>
    expect(parseBytesPerSecond(text)).toHaveProperty('expected'),
  );

  it.each([
    ['1G', 2 ** 30],
    ['64k', 2 ** 16],
    ['1.5M', 1.5 * 2 ** 20],
    ['2 T', 2 ** 41],
    ['1 GB', 1e9],
    ['1GiB', 2 ** 30],
    ['512', 512],
  ])('the size %s', (text, value) => expect(parseBytes(text)).toEqual({ value }));

  it.each(['1 Gb', '1 gb', '1X', 'G'])('no size: %s', (text) => expect(parseBytes(text)).toHaveProperty('expected'));
});

describe('numbers of things', () => {
  it('have a plural unless there is one', () => {
    expect([0, 1, 2].map((count) => counted(count, 'chip'))).toEqual(['0 chips', '1 chip', '2 chips']);
    expect(counted(2, 'process', 'processes')).toBe('2 processes');
  });
});

/** What the times of probes say by themselves, from times that formulas of the test make. */
import { describe, expect, it } from 'vitest';
import {
  copyingOf,
  type Probe,
  type ProbeTime,
  probedCsv,
  probedMachine,
  regimesOf,
  throughputOf,
} from '../../src/cli/calibrate/probe-times.ts';
import { resolveTopology } from '../../src/read/index.ts';

const sizes = [64, 256, 1024, 4096, 16_384, 65_536, 262_144];
const round: Probe = { name: 'round', schedule: '', hops: 8, messages: 1, sums: 0, inPlace: true };
const train: Probe = { ...round, name: 'train', messages: 16 };
const sum: Probe = { ...round, name: 'sum', hops: 2, sums: 1 };
const exchange: Probe = { ...round, name: 'exchange', hops: 1, messages: 2 };

const times = (probe: Probe, secondsOf: (size: number) => number): readonly ProbeTime[] =>
  sizes.map((size) => ({ probe, size, seconds: secondsOf(size) }));

/** 0.4 µs and 2 GB/s up to 4 KiB, 3 µs and 16 GB/s beyond. */
const hop = (size: number): number => (size <= 4096 ? 0.4e-6 + size / 2e9 : 3e-6 + size / 16e9);

describe('probes', () => {
  it('tell where long messages begin, and what they take', () => {
    const found = regimesOf([...times(round, (size) => 8 * hop(size)), ...times(train, () => 1)]);
    expect(found?.longestShort).toBe(4096);
    expect(found?.short.constant).toBeCloseTo(0.4e-6, 12);
    expect(1 / (found?.long.perByte ?? 0)).toBeCloseTo(16e9, -3);
    expect(regimesOf(times(round, (size) => 8 * (1e-6 + size / 5e9)))).toBeUndefined();
  });

  it('tell what adding takes by what sums take beyond their hops', () => {
    const added = times(sum, (size) => 2 * hop(size) + size / 4e9);
    const rounds = times(round, (size) => 8 * hop(size));
    expect(throughputOf([...rounds, ...added])).toBeCloseTo(4e9, -3);
    expect(throughputOf([...rounds, ...times(sum, (size) => 2 * hop(size))])).toBeUndefined();
  });

  it('tell what copying takes by what they take longer out of place, of the part of one rank', () => {
    const apart: Probe = { ...exchange, name: 'exchange apart', inPlace: false };
    const inPlace = times(exchange, hop);
    const copied = times(apart, (size) => hop(size) + size / 2 / 8e9);
    expect(copyingOf([...times(train, hop), ...inPlace, ...copied], 2)).toBeCloseTo(8e9, -3);
    expect(copyingOf([...inPlace, ...times(apart, hop)], 2)).toBeUndefined();
    // Beyond the caches a copy goes at 2 GB/s, and it is those that take long.
    const beyond = times(apart, (size) => hop(size) + size / 2 / (size > 65_536 ? 2e9 : 8e9));
    expect(copyingOf([...inPlace, ...beyond], 2)).toBeCloseTo(2e9, -3);
  });

  it('count by the least of their times', () => {
    const disturbed = times(round, (size) => 80 * hop(size));
    const quiet = times(round, (size) => 8 * hop(size));
    expect(regimesOf([...disturbed, ...quiet, ...disturbed])).toEqual(regimesOf(quiet));
    expect(probedCsv([...disturbed, ...quiet])).toBe(probedCsv(quiet));
  });

  it('make a machine that can be read, on which a process does one thing after the other', () => {
    const regimes = regimesOf(times(round, (size) => 8 * hop(size)));
    const read = (text: string) => resolveTopology('./probed.yaml', { read: (name) => ({ name, text }) });
    const { lane, nodes } = read(probedMachine(3, { regimes, adding: 4e9, copying: 20e9 }));
    expect(lane).toMatchObject({ count: 1, local: { bandwidth: 20e9 }, long: { above: 4096 } });
    expect(lane?.overhead).toBeCloseTo(0.2e-6, 10);
    expect(lane?.long?.bandwidth).toBeCloseTo(16e9, -7);
    expect(nodes[0].reduce).toMatchObject({ throughput: 4e9, overlap: false });
    const nothing = { regimes: undefined, adding: undefined, copying: undefined };
    expect(read(probedMachine(2, nothing)).lane).toBeUndefined();
  });
});

/** Rates and latencies of topology files as expressions, against numbers worked out by hand. */
import { describe, expect, it } from 'vitest';
import { resolveTopology } from '../../src/read/index.ts';

function machine(bandwidth: string, latency = '1 us') {
  const text = `format: ccc-topology
version: 1
name: drawn
parameters:
  boxes: { default: 4, minimum: 1, about: boxes }
  oversubscription: { default: 3, minimum: 1, about: uplinks against downlinks }
chips: 2 * boxes
switches: 1
link: { latency: 1 us, bandwidth: 10 GB/s }
links:
  - for: r in 0 .. 2 * boxes - 1
    duplex: r <-> switch 0
    bandwidth: "${bandwidth}"
    latency: "${latency}"
`;
  return resolveTopology('drawn.yaml', { read: () => ({ name: 'drawn.yaml', text }) });
}

describe('a rate in a topology file', () => {
  it.each([
    ['400 Gbit/s * boxes / oversubscription', (50e9 * 4) / 3],
    ['boxes * 25 GB/s', 100e9],
    ['boxes > 3 ? 50 GB/s : 25 GB/s', 50e9],
    ['boxes > 4 ? 50 GB/s : 25 GB/s', 25e9],
    ['min(boxes * 10 GB/s, 16 GB/s)', 16e9],
    ['(50 GB/s + 14 GB/s) / 2', 32e9],
    ['64 GB/s', 64e9],
  ])('may be the expression %s', (bandwidth, value) => {
    expect(machine(bandwidth).links[0].bandwidth).toBeCloseTo(value, 3);
  });

  it.each([
    ['400 Gbit/s * 3 GB/s', /without a unit/],
    ['400 Gbit/s / (boxes - 4)', /has no value/],
    ['400 Gbit/s * boxs', /did you mean boxes/],
    ['400 * boxes', /expected a rate, such as 64 GB\/s/],
    ['1 us * boxes', /expected a rate, such as 64 GB\/s/],
    ['400 Gbit/s * (boxes - 4)', /must be more than 0/],
    ['400 Gbit/s *', /expected a number, a name or a bracket, found the end/],
    ['boxes > 3 ? 50 GB/s : 25', /expected a rate/],
  ])('is refused with its place if it is %s', (bandwidth, message) => {
    expect(() => machine(bandwidth)).toThrow(message);
    try {
      machine(bandwidth);
    } catch (error) {
      expect(error).toHaveProperty('range.source.name', 'drawn.yaml');
    }
  });
});

describe('a latency in a topology file', () => {
  it('may depend on the variables of the loops around it', () => {
    const { links } = machine('10 GB/s', '0.5 us + r * 0.1 us');
    expect(links.filter(({ from }) => from < 8).map(({ latency }) => Math.round(latency * 1e7))).toEqual([
      5, 6, 7, 8, 9, 10, 11, 12,
    ]);
  });

  it('may be 0 in one branch of a choice', () => {
    expect(machine('10 GB/s', 'boxes > 1 ? 0 : 1 us').links[0].latency).toBe(0);
  });
});

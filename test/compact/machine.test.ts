import { describe, expect, it } from 'vitest';
import { withSymmetricGamma, withSymmetricLink, withSymmetricOverlap } from '../../src/compact/machine/edits.ts';
import { parseSymmetricTopology } from '../../src/compact/machine/read.ts';
import { resolveSymmetricTopology } from '../../src/compact/machine/resolve.ts';
import { resolveTopology } from '../../src/read/index.ts';

describe('a torus as one chip sees it', () => {
  for (const shape of ['2', '3', '7', '2x2', '3x5', '2x4', '1x6', '3x2x4']) {
    it(`has the links of chip 0 of torus:${shape}`, () => {
      const topology = resolveTopology(`torus:${shape}`);
      const machine = resolveSymmetricTopology(`torus:${shape}`);
      const seen = topology.links
        .filter(({ from }) => from === 0)
        .map(({ to, latency, bandwidth }) => [to, latency, bandwidth]);
      seen.sort(([a], [b]) => a - b);
      expect(machine.generators.map(({ offset, latency, bandwidth }) => [offset, latency, bandwidth])).toEqual(seen);
      expect(machine.shape).toEqual(topology.shape);
      expect(machine.name).toBe(topology.name);
      expect(machine.reduce).toEqual(topology.nodes[0].reduce);
    });
  }

  it('may have a million chips, but not eight', () => {
    const { generators } = resolveSymmetricTopology('torus:1000x1000');
    expect(generators.map(({ offset }) => offset)).toEqual([1, 999, 1000, 999_000]);
    expect(() => resolveSymmetricTopology('torus:2000x4000')).toThrow('more chips than the limit ranks');
  });
});

describe('machines whose file promises no shape', () => {
  it.each([
    ['ring:8', [8]],
    ['ring:2', [2]],
    ['full:6', [6]],
    ['hypercube:2', [2, 2]],
    ['hypercube:4', [2, 2, 2, 2]],
    ['hypercube:16', new Array<number>(16).fill(2)],
  ])('%s is the same from every chip, as a circle or as a hypercube', (name, shape) => {
    const machine = resolveSymmetricTopology(name);
    expect(machine.shape).toEqual(shape);
    const far = name === 'hypercube:16';
    const links = far ? [] : resolveTopology(name).links.filter(({ from }) => from === 0);
    const offsets = machine.generators.map(({ offset }) => offset);
    expect(offsets).toEqual(far ? offsets.map((_, bit) => 2 ** bit) : links.map(({ to }) => to).sort((a, b) => a - b));
  });
});

describe('machines that are not the same from every chip', () => {
  const file = (links: string, more = '') =>
    parseSymmetricTopology(
      {
        name: 'machine.yaml',
        text: `format: ccc-topology\nversion: 1\nname: machine\nparameters: { extents: { shape: true, default: 4x4 } }\nchips: size()\n${more}shape: true\nlink: { latency: 1 us, bandwidth: 10 GB/s }\nlinks:\n${links}`,
      },
      { name: 'machine', values: [] },
    );

  it('are refused where a link is missing', () => {
    const mesh =
      '  - { for: [d in 0 .. 1, r in 0 .. 15], if: "coordinate(r, d) < 3", duplex: "r <-> neighbour(r, d, 1)" }\n';
    expect(() => file(mesh)).toThrow(/does not look the same from every chip.*but none from chip \d+ to chip \d+/);
  });

  it('are refused where numbers differ, though the first five chips of each axis agree', () => {
    const links =
      '  - { for: r in 0 .. 14, link: "r -> neighbour(r, 0, 1)" }\n  - { link: "15 -> 3", bandwidth: 9 GB/s }\n';
    expect(() => file(links)).toThrow(
      'the links from chip 0 to chip 4 and from chip 15 to chip 3 differ in their numbers',
    );
  });

  it('are refused where they fall apart', () => {
    expect(() => file('  - { for: r in 0 .. 15, link: "r -> neighbour(r, 0, 1)" }\n')).toThrow(
      'chip 0 cannot reach chip 1; every chip must reach every other',
    );
  });

  it('are refused where they have switches, or neither numbers nor bits of them make the chips alike', () => {
    expect(() => file('  - { link: 0 -> switch 0 }\n', 'switches: 1\n')).toThrow('a machine of chips alone');
    expect(() => resolveSymmetricTopology('line:8')).toThrow('does not look the same from every chip');
    expect(() => resolveSymmetricTopology('dgx1')).toThrow('does not look the same from every chip');
    expect(() => resolveSymmetricTopology('full:64')).toThrow('up to 31 links per chip');
  });

  it('are refused where two links join the same chips', () => {
    const twice = '  - { for: [t in 0 .. 1, r in 0 .. 15], link: "r -> neighbour(r, 0, 1)" }\n';
    expect(() => file(twice)).toThrow('a second link from chip 0 to chip 4');
  });

  it('may have links that are no steps along an axis', () => {
    const twisted =
      '  - { for: r in 0 .. 15, link: "r -> neighbour(neighbour(r, 0, 1), 1, 1)" }\n  - { for: r in 0 .. 15, link: "r -> neighbour(r, 1, 2)" }\n  - { for: r in 0 .. 15, link: "r -> neighbour(r, 1, 1)" }\n';
    expect(file(twisted).generators.map(({ offset }) => offset)).toEqual([1, 2, 5]);
  });
});

describe('changed numbers', () => {
  const machine = resolveSymmetricTopology('torus:3x3');

  it('show in a note', () => {
    const changed = withSymmetricLink(machine, { latency: 2e-6, bandwidth: 5e9, occupancy: 'pipelined' });
    expect(changed.generators[3]).toEqual({
      offset: 6,
      latency: 2e-6,
      bandwidth: 5e9,
      occupancy: 'pipelined',
      units: 1,
    });
    expect(changed.notes).toEqual(['all links set to 2 µs, 5 GB/s, pipelined']);
    expect(withSymmetricGamma(machine, 1e9).reduce).toEqual({ throughput: 1e9, overlap: false });
    expect(withSymmetricOverlap(machine, true).reduce?.overlap).toBe(true);
  });

  it('need a reduce engine to overlap with', () => {
    expect(() => withSymmetricOverlap({ ...machine, reduce: undefined }, true)).toThrow('has no reduce engines');
  });
});

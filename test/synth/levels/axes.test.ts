/** What goes along one axis of a grid after the other: its times by closed form, its results by proof. */
import { describe, expect, it } from 'vitest';
import type { Topology } from '../../../src/ir/topology.ts';
import { lower } from '../../../src/lower/index.ts';
import { resolveTopology, withoutLink } from '../../../src/read/index.ts';
import { engines } from '../../../src/synth/index.ts';
import { gridHierarchies } from '../../../src/synth/levels/hierarchies.ts';
import { prove } from '../../../src/verify/index.ts';
import { problemOn, provedSeconds, type Wanted } from '../list/support.ts';
import { candidatesAmong, reasonsAmong } from '../problems.ts';

const size = 3 * 2 ** 20;
const kinds = ['allgather', 'reducescatter', 'allreduce', 'reduce', 'broadcast'] as const;

function proposalsOn(machine: string | Topology, wanted: Wanted) {
  const engine = engines.find(({ name }) => name === 'levels');
  return [...(engine?.propose(problemOn(machine, { size, byName: true, ...wanted })) ?? [])];
}

/** Reducing takes no time, so that messages alone count. */
function withoutEngines(name: string): Topology {
  const machine = resolveTopology(name);
  return { ...machine, nodes: machine.nodes.map((node) => ({ ...node, reduce: undefined })) };
}

/** What each candidate takes, by its name up to the algorithms in it. */
function timesOn(machine: Topology, wanted: Wanted): ReadonlyMap<string, number> {
  const candidates = candidatesAmong(proposalsOn(machine, wanted));
  const bytes = wanted.size ?? size;
  return new Map(candidates.map(({ name, build }) => [name.split(':')[0], provedSeconds(build(1), machine, bytes)]));
}

describe('grids', () => {
  it('are meshes and tori by their axes, and rings of four by two dimensions each', () => {
    const extents = (name: string) => gridHierarchies(resolveTopology(name)).map((grid) => grid.extents);
    expect(extents('mesh:5x4')).toEqual([[5, 4]]);
    expect(extents('torus:3x1x6')).toEqual([[3, 6]]);
    expect(extents('torus:4x4')).toEqual([
      [4, 4],
      [2, 2, 2, 2],
    ]);
    expect(extents('hypercube:3')).toEqual([[2, 2, 2]]);
    expect(extents('sg2260x4')).toEqual([[2, 2]]);
    expect(extents('torus:4x2')).toEqual([
      [4, 2],
      [2, 2, 2],
    ]);
    for (const name of ['ring:9', 'line:4', 'line:8', 'switch:16', 'full:6']) expect(extents(name)).toEqual([]);
  });

  it('may have other links on each axis, where the machine looks the same from every chip', () => {
    const { links, ...torus } = resolveTopology('torus:3x5');
    const unlike = links.map((link) =>
      Math.abs(link.from - link.to) % 5 === 0 ? { ...link, bandwidth: 2 * link.bandwidth } : link,
    );
    expect(gridHierarchies({ ...torus, links: unlike }).map(({ extents }) => extents)).toEqual([[3, 5]]);
  });
});

describe('collectives along the axes of a grid', () => {
  // By axis, the first of the ranks' coordinates first: places, and messages in a row to the farthest of them.
  it.each([
    ['mesh:5x4', [5, 4], [4, 3]],
    ['torus:5x3', [5, 3], [2, 1]],
    ['mesh:3x2x4', [3, 2, 4], [2, 1, 3]],
    ['hypercube:3', [2, 2, 2], [1, 1, 1]],
  ])('on %s take the messages in a row of every axis, of a block for each of its places', (name, extents, hops) => {
    const machine = withoutEngines(name);
    const { latency, bandwidth } = machine.links[0];
    let [seconds, block] = [0, size];
    for (const [axis, extent] of extents.entries()) {
      block /= extent;
      seconds += hops[axis] * (latency + block / bandwidth);
    }
    for (const kind of ['allgather', 'reducescatter'] as const) {
      const times = timesOn(machine, { kind });
      expect((times.get(`levels (${extents.join('x')}`) ?? 0) / seconds).toBeCloseTo(1, 9);
    }
  });

  it.each([
    ['mesh:4x4', 2, 4, 3],
    ['torus:5x5', 2, 5, 2],
    ['torus:3x3x3', 3, 3, 1],
  ])('reduce for all on %s with a part for each axis, on links of its own', (name, axes, extent, hops) => {
    const machine = withoutEngines(name);
    const { latency, bandwidth } = machine.links[0];
    const blocks = Array.from({ length: axes }, (_, level) => size / axes / extent ** (level + 1));
    const expected = blocks.reduce((sum, block) => sum + 2 * hops * (latency + block / bandwidth), 0);
    const times = timesOn(machine, { kind: 'allreduce' });
    const scattered = `levels (${new Array(axes).fill(extent).join('x')}, ${axes} scattered`;
    expect((times.get(scattered) ?? 0) / expected).toBeCloseTo(1, 9);
  });

  it.each([
    ['hypercube:3', 3],
    ['torus:2x2x2x2', 4],
    ['torus:4x2', 3],
  ])('on %s take as long as their messages in a row, whatever is halved', (name, dimensions) => {
    const links = resolveTopology('hypercube:3').links[0];
    const machine = withoutEngines(name);
    const alike = { ...machine, links: machine.links.map((link) => ({ ...link, ...costOf(links) })) };
    for (const [kind, bytes] of [
      ['allreduce', 2 ** 10],
      ['allreduce', 2 ** 15],
      ['allreduce', 2 ** 20],
      ['reduce', 2 ** 18],
      ['broadcast', 2 ** 18],
    ] as const) {
      const times = timesOn(alike, { kind, size: bytes, root: 1 });
      for (let halved = 0; halved < dimensions; halved++) {
        const found = times.get(
          `levels (${new Array(dimensions).fill(2).join('x')}${halved > 0 ? `, ${halved} scattered` : ''}`,
        );
        if (found === undefined) continue;
        // Every link carries its part: whole, halved once, twice …, and back.
        const parts = Array.from({ length: dimensions + halved }, (_, step) => {
          const times = step < dimensions ? Math.min(step + 1, halved) : dimensions + halved - step;
          return 2 ** -times;
        });
        const carried = parts.reduce((sum, part) => sum + part, 0) / dimensions;
        const expected = (dimensions + halved) * links.latency + (carried * bytes) / links.bandwidth;
        // What comes to one root, or leaves it, may wait a little where parts meet.
        if (kind !== 'allreduce') expect(found / expected).toBeLessThan(1.1);
        else expect(found / expected).toBeCloseTo(1, 9);
      }
      expect(times.size).toBeGreaterThan(0);
    }
  });

  it('are proved for several chunks to the block, with all ranks having the same bits', () => {
    for (const kind of kinds) {
      for (const name of ['mesh:3x4', 'torus:4x3', 'torus:2x3x2', 'hypercube:3']) {
        for (const { build, name: called } of candidatesAmong(proposalsOn(name, { kind, root: 5 }))) {
          const { findings } = prove(lower(build(2)), { bitwise: true }).verification;
          expect(findings, `${called} of ${kind} on ${name}`).toEqual([]);
        }
      }
    }
  });

  it('say why there are none', () => {
    const reasons = (machine: string | Topology, wanted: Wanted) => reasonsAmong(proposalsOn(machine, wanted));
    const broken = withoutLink(resolveTopology('mesh:3x3'), 0, 1);
    expect(reasons(broken, { kind: 'allgather' })).toEqual([
      'no groups are declared, and no links are so much slower that they join boxes',
    ]);
    expect(reasons('mesh:3x3', { kind: 'allreduce', ordered: true })).toEqual([
      'levels are combined one after the other, not in rank order',
    ]);
    expect(reasons('mesh:3x3', { kind: 'allgather', chunks: 9 })).toEqual([]);
    expect(reasons('mesh:3x3', { kind: 'allreduce', chunks: 7 })).toContain(
      'needs a multiple of 18 chunks per shard, not 7',
    );
    expect(candidatesAmong(proposalsOn('mesh:3x3', { kind: 'gather' }))).toEqual([]);
  });
});

function costOf({ latency, bandwidth, occupancy }: Topology['links'][number]) {
  return { latency, bandwidth, occupancy };
}

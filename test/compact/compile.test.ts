/** What the flow chooses, and closed forms of what comes out. */
import { describe, expect, it } from 'vitest';
import { compileCompact } from '../../src/compact/compile.ts';
import type { CollectiveKind } from '../../src/ir/collective.ts';
import type { SymmetricTopology } from '../../src/ir/compact.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import { allgather, circulant, standardLink, torus } from './machines.ts';

interface Wishes {
  readonly chunks?: number;
  readonly bulks?: number;
  readonly slots?: number;
}

function compiled(kind: CollectiveKind, topology: SymmetricTopology, size: number, wishes: Wishes = {}) {
  const { chunks, bulks, slots } = wishes;
  const ranks = topology.shape.reduce((product, extent) => product * extent, 1);
  const collective = { ...allgather(ranks, 1), kind };
  const limits = { ...defaultLimits, slots: slots ?? defaultLimits.slots };
  const request = { collective, topology, size, chunks, limits };
  const { bundle, steps } = compileCompact({ ...request, dtype: 'f32', bulks: bulks ?? 'auto' });
  const { seconds } = bundle.cost;
  return { way: bundle.origin?.schedule, seconds, steps, optimality: bundle.bound.seconds / seconds };
}

const alpha = 1e-6;
const beta = 1e10;

describe('an allreduce', () => {
  it('of a small vector is folded: as many steps as the machine is wide, with a part for each axis', () => {
    const ring = compiled('allreduce', torus([5]), 1000);
    expect(ring).toMatchObject({ way: 'folded-allreduce', steps: 2 });
    expect(ring.seconds).toBeCloseTo(2 * (alpha + 1000 / beta), 15);
    const cube = compiled('allreduce', torus([2, 2, 2]), 3000);
    expect(cube.seconds).toBeCloseTo(3 * (alpha + 1000 / beta), 15);
    const square = compiled('allreduce', torus([4, 4]), 2000);
    expect(square.seconds).toBeCloseTo(4 * (alpha + 1000 / beta), 15);
  });

  it('without axes is folded over the layers: what all ranks hold comes in as many steps as they are apart', () => {
    // Each of six others is one link away.
    const mesh = compiled('allreduce', circulant(7, [1, 2, 3]), 1000);
    expect(mesh).toMatchObject({ way: 'folded-allreduce', steps: 1 });
    expect(mesh.seconds).toBeCloseTo(alpha + 1000 / beta, 15);
  });

  it('of a large one is a reducescatter and an allgather, each with the latency of every layer', () => {
    const size = 2 ** 30;
    const { way, steps, seconds } = compiled('allreduce', torus([5]), size);
    expect([way, steps]).toEqual(['layered-allreduce', 4]);
    expect(seconds).toBeCloseTo(4 * alpha + (4 * (size / 5)) / beta, 9);
  });

  it('has chunks for each rank, or for each axis', () => {
    const square = torus([4, 4]);
    expect(compiled('allreduce', square, 100, { chunks: 6 }).way).toBe('folded-allreduce');
    expect(compiled('allreduce', square, 100, { chunks: 32, bulks: 2 }).way).toBe('layered-allreduce');
    for (const wishes of [{ chunks: 5 }, { chunks: 6, bulks: 2 }]) {
      expect(() => compiled('allreduce', square, 100, wishes)).toThrow('needs a multiple of 16 chunks');
    }
  });
});

describe('a machine', () => {
  const slow = { ...standardLink, latency: 3 * alpha };

  it('with links that no message takes, since the way over others is quicker, has no compact plan', () => {
    // From chip 0 to chip 2: 2 µs over chip 1, 3 µs over the link.
    const { generators, ...rest } = torus([5]);
    const shortcuts = { ...rest, generators: [...generators, { ...slow, offset: 2 }] };
    expect(() => compiled('allgather', shortcuts, 1000)).toThrow(/the link from chip 0 to chip 2, so that messages/);
  });

  it('may have slow links where there is no other way', () => {
    const square = torus([2, 2], [standardLink, slow]);
    // A slow link carries two messages: the neighbour's shard, and half of the farthest one.
    expect(compiled('allgather', square, 0).seconds).toBeCloseTo(2 * slow.latency, 15);
  });
});

describe('an alltoall', () => {
  it('takes as many steps as the machine is wide, and no link carries more than it must', () => {
    const size = 16 * 2 ** 20;
    // Items of 4x4 go 32 links in all, over four links of a chip.
    const square = compiled('alltoall', torus([4, 4]), size);
    expect(square.steps).toBe(4);
    expect(square.seconds).toBeCloseTo(4 * alpha + ((32 / 4) * size) / 16 / beta, 12);
    // Ring of 6: 1 + 2 + 3 + 2 + 1 = 9 links over two.
    const ring = compiled('alltoall', torus([6]), size);
    expect(ring.seconds).toBeCloseTo(3 * alpha + ((9 / 2) * size) / 6 / beta, 12);
    // 3x5: each stage takes as long as the axis of 5, with 3 rows of 1 + 2 + 2 + 1 over two links.
    const uneven = compiled('alltoall', torus([3, 5]), size);
    expect(uneven.seconds).toBeCloseTo(4 * alpha + ((18 / 2) * size) / 15 / beta, 12);
    const mesh = compiled('alltoall', circulant(7, [1, 2, 3]), size);
    expect(mesh.seconds).toBeCloseTo(alpha + size / 7 / beta, 12);
  });

  it('is cut into a part for each axis', () => {
    expect(() => compiled('alltoall', torus([4, 4]), 100, { chunks: 3 })).toThrow('a multiple of 2 chunks per shard');
  });
});

it('An alltoall whose items go over too many links for the proof says which limit is enough', () => {
  // On each axis ranks are 0, 1, 2, 2 and 1 links away: 60 links to all, for both parts of their shards.
  const message = (slots: number): RegExp => new RegExp(`go over 120 links.* slots = ${slots} .*--limit slots=540 `);
  expect(() => compiled('alltoall', torus([5, 5]), 100, { slots: 239 })).toThrow(message(239));
  expect(() => compiled('alltoall', torus([5, 5]), 100, { slots: 240 })).toThrow('too large to verify');
  expect(compiled('alltoall', torus([5, 5]), 100, { slots: 540 }).steps).toBe(4);
});

describe('collectives with a root, or an order', () => {
  it.each(['broadcast', 'reduce', 'scatter', 'gather'] as const)('%s is refused, and it is said why', (kind) => {
    expect(() => compiled(kind, torus([4]), 100)).toThrow('its root does what no other rank does');
  });

  it('scan is refused', () => {
    expect(() => compiled('scan', torus([4]), 100)).toThrow('not for scan');
  });
});

/** What goes along one axis of a grid after the other: its times by closed form, its results by proof. */
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../src/ir/limits.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import { lower } from '../../../src/lower/index.ts';
import { resolveTopology, withoutLink } from '../../../src/read/index.ts';
import { engines } from '../../../src/synth/index.ts';
import { prove } from '../../../src/verify/index.ts';
import { problemOn, provedSeconds, type Wanted } from '../list/support.ts';
import { candidatesAmong, reasonsAmong } from '../problems.ts';

const size = 3 * 2 ** 20;
const kinds = ['allgather', 'reducescatter', 'allreduce'] as const;

function proposalsOn(machine: string | Topology, wanted: Wanted) {
  const engine = engines.find(({ name }) => name === 'grids');
  return [...(engine?.propose(problemOn(machine, { size, byName: true, ...wanted })) ?? [])];
}

/** The only candidate's schedule. */
function scheduleOn(machine: string | Topology, kind: Wanted['kind'], multiple = 1) {
  const [candidate, ...others] = candidatesAmong(proposalsOn(machine, { kind }));
  expect(others).toEqual([]);
  return candidate.build(multiple);
}

/** Reducing takes no time, so that messages alone count. */
function withoutEngines(name: string): Topology {
  const machine = resolveTopology(name);
  return { ...machine, nodes: machine.nodes.map((node) => ({ ...node, reduce: undefined })) };
}

describe('collectives along the axes of a grid', () => {
  // By axis, the first of the ranks' coordinates first: places, and messages in a row to the farthest of them.
  it.each([
    ['mesh:5x4', [5, 4], [4, 3]],
    ['torus:5x4', [5, 4], [2, 2]],
    ['torus:2x6', [2, 6], [1, 3]],
    ['mesh:3x2x4', [3, 2, 4], [2, 1, 3]],
    ['line:7', [7], [6]],
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
      expect(provedSeconds(scheduleOn(machine, kind), machine, size) / seconds).toBeCloseTo(1, 9);
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
    expect(provedSeconds(scheduleOn(machine, 'allreduce'), machine, size) / expected).toBeCloseTo(1, 9);
  });

  it('send few messages: to and from each place of the axes, as far as there are others', () => {
    const transfers = kinds.map((kind) => scheduleOn('mesh:6x5', kind).steps.transferCount);
    // On a line of n, n blocks go over n − 1 links.
    const once = 5 * (6 * 5) + 6 * (5 * 4);
    expect(transfers).toEqual([once, once, 4 * once]);
  });

  it('have fewer owners of blocks where these were too short, down to one on each axis', () => {
    for (const name of ['mesh:5x4', 'torus:5x4', 'torus:6x6', 'mesh:3x2x4', 'mesh:7x9']) {
      const machine = withoutEngines(name);
      const { latency, bandwidth } = machine.links[0];
      const axes = name.split(':')[1].split('x').map(Number);
      const farthest = axes.reduce((sum, extent) => sum + Math.floor(extent / 2), 0);
      const [candidate] = candidatesAmong(proposalsOn(machine, { kind: 'allreduce', size: 1e-3 }));
      const schedule = candidate.build(1);
      expect(schedule.collective.chunks).toBe(axes.length);
      // To the middle and back, where parts that meet on a link may wait for each other.
      const seconds = provedSeconds(schedule, machine, 1e-3);
      expect(seconds).toBeGreaterThanOrEqual(2 * farthest * latency);
      expect(seconds).toBeLessThanOrEqual(3 * farthest * latency);
      for (let blocks = 1; blocks <= 64; blocks *= 2) {
        const some = candidatesAmong(
          proposalsOn(machine, { kind: 'allreduce', size: (blocks * latency * bandwidth) / 8 }),
        );
        expect(prove(lower(some[0].build(2)), { bitwise: true }).verification.findings, name).toEqual([]);
      }
    }
  });

  it('have as many as the limits allow', () => {
    const chunksWithin = (limits: Partial<typeof defaultLimits>) => {
      const wanted = { kind: 'allreduce', limits: { ...defaultLimits, ...limits } } as const;
      return candidatesAmong(proposalsOn('torus:8x8', wanted)).map((candidate) => {
        const { steps, collective } = candidate.build(1);
        const { ops } = lower(candidate.build(1));
        expect(2 * steps.transferCount).toBeLessThanOrEqual(limits.operations ?? 2 * steps.transferCount);
        const touched = ops.kind.reduce((sum, _, o) => sum + ops.srcCount[o] + ops.dstCount[o], 0);
        expect(touched).toBeLessThanOrEqual(limits.slots ?? touched);
        return collective.chunks;
      });
    };
    expect(chunksWithin({})).toEqual([2 * 8 * 8]);
    expect(chunksWithin({ slots: 48_000 })).toEqual([2 * 8 * 4]);
    expect(chunksWithin({ operations: 3600 })).toEqual([2 * 4 * 8]);
    expect(chunksWithin({ operations: 100 })).toEqual([]);
  });

  it('are proved for several chunks to the block, with all ranks having the same bits', () => {
    for (const kind of kinds) {
      for (const name of ['mesh:3x4', 'torus:4x3', 'torus:2x3x2']) {
        const { findings } = prove(lower(scheduleOn(name, kind, 2)), { bitwise: true }).verification;
        expect(findings, `${kind} on ${name}`).toEqual([]);
      }
    }
  });

  it('say why there are none', () => {
    const reasons = (machine: string | Topology, wanted: Wanted) => reasonsAmong(proposalsOn(machine, wanted));
    const broken = withoutLink(resolveTopology('mesh:3x3'), 0, 1);
    expect(reasons(broken, { kind: 'allgather' })).toEqual(['its links are not those of a grid of chips']);
    expect(reasons('mesh:3x3', { kind: 'allreduce', ordered: true })).toEqual(['needs an operator that commutes']);
    expect(reasons('mesh:3x3', { kind: 'allreduce', chunks: 9 })).toEqual(['needs a multiple of 18 chunks, not 9']);
    const limits = { ...defaultLimits, operations: 71 };
    expect(reasons('mesh:3x3', { kind: 'allgather', limits })).toEqual([
      '72 operations are more than the limit operations = 71',
    ]);
    expect(reasons('mesh:3x3', { kind: 'allgather', limits: { ...defaultLimits, slots: 143 } })).toEqual([
      'operations on 162 chunks in all are more than the limit slots = 143 (--limit slots=162 raises it far enough)',
    ]);
    expect(proposalsOn('mesh:3x3', { kind: 'reduce' })).toEqual([]);
    expect(proposalsOn('mesh:3x3', { kind: 'allgather', byName: false })).toEqual([]);
  });
});

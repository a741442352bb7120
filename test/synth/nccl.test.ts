/** NCCL's rings and trees: their shapes against what NCCL and the literature say of them, their times against closed forms. */
import { describe, expect, it } from 'vitest';
import { searchDefaults } from '../../src/index.ts';
import type { CollectiveKind } from '../../src/ir/collective.ts';
import { defaultLimits } from '../../src/ir/limits.ts';
import { Routes } from '../../src/ir/routes.ts';
import type { Schedule } from '../../src/ir/schedule.ts';
import { instantiate, loadScheduleFile, resolveTopology } from '../../src/read/index.ts';
import { baselinesFor } from '../../src/search/baselines.ts';
import { searchPlan } from '../../src/search/compile.ts';
import { ringChannels } from '../../src/synth/nccl/channels.ts';
import { collectiveOf } from '../collectives.ts';

function ranksBelow(count: number, from = 0): number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

function compiled(kind: CollectiveKind, topology: string, algorithm: string, more: object = {}) {
  const machine = resolveTopology(topology);
  const ranks = machine.chips.length;
  const collective = { kind, ranks, chunks: 1, root: 0, op: 'sum', ordered: false, inPlace: false } as const;
  const size = 64 * 2 ** 20;
  return searchPlan({ ...searchDefaults, collective, topology: machine, size, engine: 'nccl', algorithm, ...more });
}

/** Parents in each of the two trees: whom a rank sends its sums to. */
function parentsIn(schedule: Schedule): readonly ReadonlyMap<number, number>[] {
  const trees = [new Map<number, number>(), new Map<number, number>()];
  // The sums go up in the first half of the steps.
  for (let step = 0; step < schedule.steps.stepCount / 2; step++) {
    for (const { source, destination, channel } of schedule.steps.inStep(step)) trees[channel].set(source, destination);
  }
  return trees;
}

function trees(ranks: number, parameters: Readonly<Record<string, number>> = {}) {
  const request = {
    ranks,
    root: 0,
    op: 'sum',
    ordered: false,
    inPlace: false,
    parameters,
    limits: defaultLimits,
  } as const;
  return parentsIn(instantiate(loadScheduleFile('double-binary-tree-allreduce'), request));
}

describe('the double binary tree', () => {
  it('is the tree that NCCL draws for fourteen ranks', () => {
    const [tree] = trees(14);
    const drawn = { 1: 2, 2: 4, 3: 2, 4: 8, 5: 6, 6: 4, 7: 6, 8: 0, 9: 10, 10: 12, 11: 10, 12: 8, 13: 12 };
    expect(Object.fromEntries([...tree].sort(([a], [b]) => a - b))).toEqual(drawn);
  });

  it.each(ranksBelow(31, 2))(
    'of %i ranks has inner ranks of one tree as leaves of the other, and no more than two children',
    (ranks) => {
      const [first, second] = trees(ranks);
      const children = (tree: ReadonlyMap<number, number>, rank: number) =>
        [...tree.values()].filter((parent) => parent === rank).length;
      for (const tree of [first, second]) {
        expect(tree.size).toBe(ranks - 1);
        for (const rank of ranksBelow(ranks)) expect(children(tree, rank)).toBeLessThanOrEqual(2);
      }
      // With an odd number one rank, the root of one tree, may be an inner one of both.
      const both = ranksBelow(ranks).filter((rank) => children(first, rank) > 0 && children(second, rank) > 0);
      expect(both.length).toBeLessThanOrEqual(ranks % 2 === 0 ? 0 : 1);
    },
  );

  it.each([
    [1, { left: 1, right: 0 }],
    [2, { left: 1, right: 1 }],
    [3, { left: 0, right: 0 }],
  ])('of boxes hangs them on the GPUs of pattern %i', (pattern, { left, right }) => {
    const box = 4;
    const [tree] = trees(7 * box, { box, pattern });
    // Box 2 has boxes 1 and 3 below it: one with a smaller place, one with a greater.
    expect(tree.get(1 * box)).toBe(2 * box + left);
    expect(tree.get(3 * box)).toBe(2 * box + right);
    for (const place of [1, 2, 3]) expect(tree.get(5 * box + place)).toBe(5 * box + place - 1);
  });
});

/** How often each link is used by rings over direct links. */
function uses(routes: Routes, rings: readonly (readonly number[])[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const ring of rings) {
    ring.forEach((rank, at) => {
      for (const link of routes.between(rank, ring[(at + 1) % ring.length])?.links ?? []) {
        counts.set(link, (counts.get(link) ?? 0) + 1);
      }
    });
  }
  return counts;
}

describe('rings in channels', () => {
  // DGX-1: six rings as NVIDIA says; a torus of two even sides has two ways round that share no link, each in both directions (Kotzig 1973).
  it.each([
    ['dgx1', 6],
    ['torus:4x4', 4],
    ['ring:8', 2],
    ['h100:1', 1],
  ])('on %s are %i, and no link has more than it carries', (name, count) => {
    const routes = new Routes(resolveTopology(name));
    const rings = ringChannels(routes, [ranksBelow(routes.topology.chips.length)]);
    expect(rings).toHaveLength(count);
    for (const ring of rings) expect([...ring].sort((a, b) => a - b)).toEqual(ranksBelow(ring.length));
    for (const [link, used] of uses(routes, rings)) expect(used).toBeLessThanOrEqual(routes.topology.links[link].units);
  });

  it('between boxes use every NIC once in each direction', () => {
    const routes = new Routes(resolveTopology('h100:3'));
    const boxes = [0, 8, 16].map((first) => ranksBelow(8, first));
    const rings = ringChannels(routes, boxes);
    expect(rings).toHaveLength(8);
    for (const ring of rings)
      expect(boxes.map((box) => ring.slice(box[0], box[0] + 8).sort((a, b) => a - b))).toEqual(boxes);
    const counts = uses(routes, rings);
    routes.topology.links.forEach(({ bandwidth }, link) => {
      if (bandwidth === 50e9) expect(counts.get(link)).toBe(1);
    });
  });

  it('take what their closed form says: two rings side by side, N − 1 steps with half a shard each', () => {
    const { seconds } = compiled('allgather', 'ring:8', 'nccl-ring').bundle.cost;
    const { latency, bandwidth } = resolveTopology('ring:8').links[0];
    expect(seconds).toBeCloseTo(7 * (latency + (64 * 2 ** 20) / 16 / bandwidth), 12);
  });

  it.each(['allgather', 'reducescatter', 'allreduce', 'broadcast', 'reduce'] as const)('are proved for %s', (kind) => {
    const root = kind === 'broadcast' || kind === 'reduce' ? 3 : 0;
    const { bundle, schedule } = compiled(kind, 'dgx1', 'nccl-ring', {
      collective: { kind, ranks: 8, chunks: 1, root, op: 'sum', ordered: false, inPlace: true },
    });
    expect(bundle.proved.verification.verdict).toBe('correct');
    expect(schedule.collective).toMatchObject({ kind, root });
    expect(bundle.origin).toMatchObject({ engine: 'nccl', schedule: 'nccl-ring', channels: 6 });
  });
});

describe('rings and trees of a file', () => {
  const ncclGraphs = {
    gpus: 8,
    rings: [ranksBelow(8), [3, 2, 1, 0, 7, 6, 5, 4]],
    trees: { orders: [[4, 5, 6, 7, 0, 1, 2, 3]], pattern: 1 },
    notes: [],
  } as const;

  it('go through every box of the machine in the order of the file', () => {
    const { schedule, bundle } = compiled('allgather', 'h100:2', 'graph.xml', { ncclGraphs });
    expect(bundle.origin).toMatchObject({ schedule: 'nccl-ring', channels: 2 });
    const edges = new Set<string>();
    for (const { source, destination, channel } of schedule.steps.inStep(0))
      edges.add(`${channel}: ${source} ${destination}`);
    const ringOf = (order: readonly number[]) => [...order, ...order.map((gpu) => gpu + 8)];
    const expected = ncclGraphs.rings.flatMap((order, channel) =>
      ringOf(order).map((rank, at, ring) => `${channel}: ${rank} ${ring[(at + 1) % 16]}`),
    );
    expect([...edges].sort()).toEqual(expected.sort());
  });

  it('hang boxes on the GPUs that its pattern names', () => {
    const only = { ...ncclGraphs, rings: undefined };
    const { schedule } = compiled('allreduce', 'h100:2', 'graph.xml', { ncclGraphs: only });
    const between = new Set<string>();
    for (let step = 0; step < schedule.steps.stepCount; step++) {
      for (const { source, destination } of schedule.steps.inStep(step)) {
        if (source < 8 !== destination < 8) between.add(`${source} ${destination}`);
      }
    }
    // In either tree one box is the root and the other its right child, which hangs on the first GPU of the chain, here GPU 4.
    expect([...between].sort()).toEqual(['12 4', '4 12']);
  });

  it('stand beside the plan in the bulks that suit each of them, the slower one as well', () => {
    const topology = resolveTopology('h100:2');
    const collective = { ...collectiveOf('allreduce', 16), inPlace: false };
    const size = 64 * 2 ** 20;
    const { priced, missing } = baselinesFor({ ...searchDefaults, collective, topology, size, ncclGraphs });
    expect(missing).toEqual([]);
    for (const { name, seconds, bulks } of priced) {
      const { cost, proved } = compiled('allreduce', 'h100:2', name, { ncclGraphs }).bundle;
      expect([name, seconds, bulks]).toEqual([name, cost.seconds, proved.plan.bulks]);
      const inOne = compiled('allreduce', 'h100:2', name, { ncclGraphs, bulks: 1 }).bundle.cost.seconds;
      expect(bulks > 1 ? inOne > seconds : inOne === seconds).toBe(true);
    }
    expect(priced.map(({ name }) => name).sort()).toEqual(['nccl-ring', 'nccl-tree']);
    expect(Math.max(...priced.map(({ bulks }) => bulks))).toBeGreaterThan(1);
    expect(compiled('allreduce', 'h100:2', 'graph.xml', { ncclGraphs }).bundle.cost.seconds).toBe(priced[0].seconds);
  });

  it('are dismissed with the reason on machines that they do not fit', () => {
    expect(() => compiled('allreduce', 'ring:6', 'graph.xml', { ncclGraphs })).toThrow(
      /8 GPUs, which do not divide 6 ranks/,
    );
    expect(() => compiled('alltoall', 'h100:1', 'nccl-ring')).toThrow(/NCCL has none for alltoall/);
    expect(() => compiled('allreduce', 'h100:1', 'nccl-rin')).toThrow(/nearest|nccl-ring/);
  });
});

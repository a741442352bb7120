/** Lock-step schedules against published lower bounds and closed forms. */
import { describe, expect, it } from 'vitest';
import { Routes } from '../../../src/ir/routes.ts';
import type { Schedule } from '../../../src/ir/schedule.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import { resolveTopology, withoutLink } from '../../../src/read/index.ts';
import { attemptRounds } from '../../../src/synth/list/rounds/search.ts';
import { unitLinksOf } from '../../../src/synth/list/rounds/unit-links.ts';
import { waysOf } from '../../../src/synth/list/ways.ts';
import { candidatesOn, provedSeconds, roundsOf, type Wanted } from './support.ts';

/** The schedule in rounds; where links differ there is another in continuous time. */
function scheduleOn(machine: string | Topology, wanted: Wanted): Schedule {
  const [candidate, ...others] = candidatesOn(machine, wanted).filter(({ name }) => name.startsWith('list-rounds-'));
  expect(others.map(({ name }) => name)).toEqual([]);
  return candidate.build(1);
}

/** Looks for a step in which a link carries more chunks than its units allow in the rounds that the step claims. */
function expectRoundsKept({ steps, collective }: Schedule, machine: string): void {
  const { links, chips } = resolveTopology(machine);
  const units = new Map(links.map((link) => [link.from * chips.length + link.to, link.units]));
  for (let step = 0; step < steps.stepCount; step++) {
    for (const { source, destination, pieces } of steps.inStep(step)) {
      const chunks = pieces.reduce((sum, { count }) => sum + count, 0);
      const width = units.get(chips[source] * collective.ranks + chips[destination]) ?? 0;
      expect(chunks).toBeLessThanOrEqual(width * steps.rounds[step]);
    }
  }
}

/** Links between the two chips that are farthest apart. */
function diameter(machine: string): number {
  const topology = resolveTopology(machine);
  const routes = new Routes(topology);
  const hops = topology.chips.flatMap((_, a) => topology.chips.map((__, b) => (a === b ? 0 : routes.hops(a, b))));
  return Math.max(...hops);
}

describe('allgather in rounds', () => {
  // Least rounds: ⌈(N − 1) · C / links into the chip that has fewest⌉, or the diameter.
  it.each([
    ['ring:4', 1, 2],
    ['ring:16', 1, 8],
    ['ring:16', 4, 30],
    ['ring:64', 4, 126],
    ['mesh:4x4', 1, 8],
    ['mesh:8x8', 1, 32],
    ['torus:4x4', 1, 4],
    ['torus:8x8', 1, 16],
    ['torus:8x8', 4, 63],
    ['torus:4x4x4', 1, 11],
    ['hypercube:3', 1, 3],
    ['hypercube:4', 1, 4],
    ['hypercube:6', 1, 11],
    ['tree:7', 1, 6],
    ['full:6', 1, 1],
    ['dgx1', 1, 2],
    ['dgx1', 2, 3],
    ['dgx1', 6, 7],
  ])('on %s with C = %i takes %i rounds', (machine, chunks, rounds) => {
    // Of infinite size only the rounds count.
    const schedule = scheduleOn(machine, { kind: 'allgather', chunks, size: 2 ** 40 });
    expect(schedule.collective.chunks).toBe(chunks);
    expect(roundsOf(schedule)).toBe(rounds);
    expectRoundsKept(schedule, machine);
    provedSeconds(schedule, machine);
  });

  it('sends neighbours together, which need no packing', () => {
    // Rank 0 has all 64 items, and none is rarer than another: eight in a row are as good as any eight.
    const topology = resolveTopology('line:2');
    const links = unitLinksOf({ topology, ways: () => waysOf(new Routes(topology), false) });
    if (typeof links === 'string') throw new Error(links);
    const moves = attemptRounds(links, { ranks: 2, origin: new Int32Array(64) }, () => 8, 0);
    const first = [...(moves?.item.view() ?? [])].slice(0, 8);
    expect(first).toEqual(Array.from({ length: 8 }, (_, i) => first[0] + i));
  });

  it('reaches the corner bound of a large mesh', () => {
    const schedule = scheduleOn('mesh:16x16', { kind: 'allgather', chunks: 1 });
    expect(roundsOf(schedule)).toBe(128);
    expect(schedule.steps.stepCount).toBe(diameter('mesh:16x16'));
  });

  it('keeps to steps that are alike for reductions on chips that cannot send while they reduce', () => {
    // Such a reduction waits for the slowest chip in every step: as few steps as the machine is wide.
    const schedule = scheduleOn('mesh:9x9', { kind: 'reducescatter', chunks: 1, size: 2 ** 28 });
    expect(schedule.steps.stepCount).toBe(diameter('mesh:9x9'));
  });

  it.each(['ring:6', 'mesh:4x4', 'torus:4x4', 'hypercube:4', 'dgx1'])(
    'on %s takes as few steps as the machine is wide when latency is all that counts',
    (machine) => {
      expect(scheduleOn(machine, { kind: 'allgather', size: 1 }).steps.stepCount).toBe(diameter(machine));
    },
  );

  it('comes near the cut between two narrow chips and the others, where links differ', () => {
    // Fourteen shards enter dies 0 and 1 of an MI250 box through six links of 50 GB/s.
    const shard = 2 ** 26;
    const size = 16 * shard;
    const seconds = provedSeconds(scheduleOn('mi250', { kind: 'allgather', size }), 'mi250', size);
    const cut = (14 * shard) / 300e9;
    expect(cut / seconds).toBeGreaterThan(0.95);
    expect(cut / seconds).toBeLessThan(1);
  });

  it('takes as many steps as the machine is wide for a short message, although one link alone can bring some of what comes', () => {
    // Any two of the eight chips are two links apart at most; α = 1 µs, and 7 · 128 B take 36 ns over one link.
    const box = resolveTopology('dgx1');
    const broken = withoutLink(box, 0, 2);
    const seconds = provedSeconds(scheduleOn(broken, { kind: 'allgather', size: 1024 }), broken, 1024);
    expect(seconds).toBeGreaterThan(2e-6);
    expect(seconds).toBeLessThan(2.036e-6);
  });

  it('takes Dα + (N − 1)M/(4Nβ) on a torus', () => {
    // D = 4, α = 1 µs, β = 10 GB/s.
    const schedule = scheduleOn('torus:4x4', { kind: 'allgather' });
    expect(provedSeconds(schedule, 'torus:4x4')).toBeCloseTo(4e-6 + (15 * 2 ** 20) / (4 * 16 * 1e10), 12);
  });
});

describe('broadcast in rounds', () => {
  it.each([
    ['ring:8', 2, 4],
    ['torus:4x4', 4, 4],
    ['mesh:4x4', 2, 6],
    ['dgx1', 6, 3],
  ])('on %s with %i chunks takes %i rounds', (machine, chunks, rounds) => {
    const schedule = scheduleOn(machine, { kind: 'broadcast', chunks, size: 2 ** 40 });
    expect(roundsOf(schedule)).toBeLessThanOrEqual(rounds);
    expectRoundsKept(schedule, machine);
    provedSeconds(schedule, machine);
  });

  it('cuts the message into √((e − 1) · d · M/(αβ)) pieces, about', () => {
    // e = 4 steps, d = 2 links, M/(αβ) = 104.9: 25.1, in multiples of two.
    expect(scheduleOn('ring:8', { kind: 'broadcast' }).collective.chunks).toBe(26);
  });
});

describe('reductions in rounds', () => {
  it.each(['reducescatter', 'reduce', 'allreduce'] as const)('%s is made of reversed moves', (kind) => {
    for (const machine of ['dgx1', 'mesh:3x3', 'ring:5']) {
      for (const candidate of candidatesOn(machine, { kind, root: kind === 'reduce' ? 3 : 0 })) {
        provedSeconds(candidate.build(1), machine);
        expect(candidate.build(2).collective.chunks).toBe(2 * candidate.build(1).collective.chunks);
      }
    }
  });

  it('reducescatter on DGX-1 takes seven rounds for six chunks', () => {
    const schedule = scheduleOn('dgx1', { kind: 'reducescatter', chunks: 6, size: 2 ** 40 });
    expect(roundsOf(schedule)).toBe(7);
  });
});

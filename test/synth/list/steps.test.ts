/** Lock-step schedules against published lower bounds and closed forms. */
import { describe, expect, it } from 'vitest';
import { Routes } from '../../../src/ir/routes.ts';
import type { Schedule } from '../../../src/ir/schedule.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import { resolveTopology, withoutLink } from '../../../src/read/index.ts';
import { candidatesOn, provedSeconds, type Wanted } from './support.ts';

/** The schedule in steps; there may be another in continuous time. */
function scheduleOn(machine: string | Topology, wanted: Wanted): Schedule {
  const [candidate, ...others] = candidatesOn(machine, wanted).filter(({ name }) => name.startsWith('list-steps-'));
  expect(others.map(({ name }) => name)).toEqual([]);
  return candidate.build(1);
}

/** Rounds in which links carry as many chunks as they have units, for the messages of each step one after the other. */
function roundsOf({ steps, collective }: Schedule, machine: string): number {
  const { links, chips } = resolveTopology(machine);
  const units = new Map(links.map((link) => [link.from * chips.length + link.to, link.units]));
  const inStep = (step: number) =>
    [...steps.inStep(step)].map(({ source, destination, pieces }) => {
      const chunks = pieces.reduce((sum, { count }) => sum + count, 0);
      return Math.ceil(chunks / (units.get(chips[source] * collective.ranks + chips[destination]) ?? 0));
    });
  return Array.from({ length: steps.stepCount }, (_, step) => Math.max(0, ...inStep(step))).reduce((a, b) => a + b, 0);
}

/** Links between the two chips that are farthest apart. */
function diameter(machine: string): number {
  const topology = resolveTopology(machine);
  const routes = new Routes(topology);
  const hops = topology.chips.flatMap((_, a) => topology.chips.map((__, b) => (a === b ? 0 : routes.hops(a, b))));
  return Math.max(...hops);
}

describe('allgather in steps', () => {
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
    expect(roundsOf(schedule, machine)).toBe(rounds);
    provedSeconds(schedule, machine);
  });

  it('reaches the corner bound of a large mesh', () => {
    const schedule = scheduleOn('mesh:16x16', { kind: 'allgather', chunks: 1 });
    expect(roundsOf(schedule, 'mesh:16x16')).toBe(128);
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

  it('takes little more than Dα + (N − 1)M/(4Nβ) on a torus', () => {
    // D = 4, α = 1 µs, β = 10 GB/s: one round in sixteen brings one link nothing new.
    const schedule = scheduleOn('torus:4x4', { kind: 'allgather' });
    const least = 4e-6 + (15 * 2 ** 20) / (4 * 16 * 1e10);
    expect(provedSeconds(schedule, 'torus:4x4')).toBeLessThan(1.06 * least);
  });
});

describe('broadcast in steps', () => {
  it.each([
    ['ring:8', 2, 4],
    ['torus:4x4', 4, 4],
    ['mesh:4x4', 2, 6],
    ['dgx1', 6, 3],
  ])('on %s with %i chunks takes %i rounds', (machine, chunks, rounds) => {
    const schedule = scheduleOn(machine, { kind: 'broadcast', chunks, size: 2 ** 40 });
    expect(roundsOf(schedule, machine)).toBeLessThanOrEqual(rounds);
    provedSeconds(schedule, machine);
  });

  it('cuts the message into √((e − 1) · d · M/(αβ)) pieces, about', () => {
    // e = 4 steps, d = 2 links, M/(αβ) = 104.9: 25.1, in multiples of two.
    expect(scheduleOn('ring:8', { kind: 'broadcast' }).collective.chunks).toBe(26);
  });
});

describe('reductions in steps', () => {
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
    expect(roundsOf(schedule, 'dgx1')).toBe(7);
  });
});

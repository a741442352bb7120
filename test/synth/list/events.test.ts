/** Schedules in continuous time: switches, ports, links that differ. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lowerBound } from '../../../src/bounds/index.ts';
import type { Topology } from '../../../src/ir/topology.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { drawn } from '../../draw.ts';
import { full, link, machine, star } from '../../model/machines.ts';
import { randomMachine } from '../../model/random.ts';
import { candidatesOn, provedSeconds, reasonsOn, scheduleOn, type Wanted } from './support.ts';

describe('one port on a switch', () => {
  it.each([4, 8, 16])('allgather of %i ranks doubles what everyone has in every step', (ranks) => {
    const schedule = scheduleOn(`switch:${ranks}`, { kind: 'allgather', size: 1024 });
    expect(schedule.steps.stepCount).toBe(Math.log2(ranks));
    // log₂N · α + (N − 1)/N · M/β with α = 1 µs, β = 10 GB/s.
    const seconds = Math.log2(ranks) * 1e-6 + (((ranks - 1) / ranks) * 1024) / 1e10;
    expect(provedSeconds(schedule, `switch:${ranks}`, 1024)).toBeCloseTo(seconds, 12);
  });

  it('a short broadcast doubles the ranks that have it in every step', () => {
    const schedule = scheduleOn('switch:13', { kind: 'broadcast', size: 64, root: 5 });
    expect(provedSeconds(schedule, 'switch:13', 64)).toBeCloseTo(4 * (1e-6 + 64 / 1e10), 12);
  });
});

describe('ports', () => {
  it('are turned round with the links: who receives one message at a time makes a binomial tree of a reduction', () => {
    const ports = { send: Number.POSITIVE_INFINITY, receive: 1 };
    const schedule = scheduleOn(full(5, { ports }), { kind: 'reduce', size: 8, chunks: 1 });
    // ⌈log₂ 5⌉ steps of 1 s + 8 bytes at 8 bytes per second.
    expect(provedSeconds(schedule, full(5, { ports }), 8)).toBeCloseTo(3 * 2, 9);
  });
});

describe('links that differ', () => {
  /** Two pairs of chips, fast inside; one slow link each way between the pairs. */
  const slow = { latency: 10, bandwidth: 1 };
  const fast = { latency: 1, bandwidth: 8 };
  const pairs = machine(4, [
    ...[link(0, 1, fast), link(1, 0, fast), link(2, 3, fast), link(3, 2, fast)],
    ...[link(1, 2, slow), link(2, 1, slow)],
  ]);

  it('nothing crosses a slow link twice', () => {
    const schedule = scheduleOn(pairs, { kind: 'allgather', size: 32, chunks: 1 });
    const { source, destination } = schedule.steps;
    const crossing = Array.from(source).filter((from, t) => from < 2 !== destination[t] < 2).length;
    expect(crossing).toBeLessThanOrEqual(4);
    // Own and partner's shard cross one after the other (18 s each), or together (26 s); the last step is fast.
    expect(provedSeconds(schedule, pairs, 32)).toBeLessThanOrEqual(2 * 18 + 2);
  });

  it('is not searched for an allreduce whose latencies alone take as long as another plan', () => {
    // From end to end 1 + 10 + 1 s, and as much to bring all together; 10 + 1 s from the middle, and as much to get there.
    const proposed = (incumbent: number) => candidatesOn(pairs, { kind: 'allreduce', size: 4, incumbent });
    expect(proposed(22)).toEqual([]);
    expect(proposed(24.1)).not.toEqual([]);
    expect(reasonsOn(pairs, { kind: 'allreduce', size: 4, incumbent: 22 })).toContain(
      'its latencies alone take longer than another plan',
    );
  });

  it('bring what fast ways have no time for over slow ones as well', () => {
    // Every GPU gets 15/16 of the message over 300 GB/s in its box and 25 GB/s from the other; the box alone could bring all of it but what is nowhere in it.
    const schedule = scheduleOn('a100:2', { kind: 'allgather', size: 2 ** 40 });
    const least = ((15 / 16) * 2 ** 40) / 325e9;
    expect(provedSeconds(schedule, 'a100:2', 2 ** 40)).toBeLessThan(least / 0.99);
  });

  it('leaves what a fast way brings sooner to it', () => {
    // 0 → 2 directly takes 100 s; over 1 it takes 2 s.
    const detour = machine(3, [
      ...[link(0, 1, { latency: 0.5, bandwidth: 16 }), link(1, 2, { latency: 0.5, bandwidth: 16 })],
      ...[link(0, 2, { latency: 0.25, bandwidth: 0.08 }), link(2, 0, fast)],
    ]);
    const schedule = scheduleOn(detour, { kind: 'broadcast', size: 8, chunks: 1 });
    expect(provedSeconds(schedule, detour, 8)).toBeCloseTo(2, 9);
  });
});

describe('links of twice the bandwidth', () => {
  /** A DGX-1 whose double links are given as one link, with 0.7 µs, GiB and pipelined links. */
  const text = readFileSync(new URL('../../../topologies/dgx1.yaml', import.meta.url), 'utf8')
    .replaceAll(', units: 2', '')
    .replaceAll('GB/s', 'GiB/s')
    .replace('latency: 1 us', 'latency: 0.7 us')
    .replace('blocking', 'pipelined');
  const wide = resolveTopology('wide.yaml', { read: () => ({ name: 'wide.yaml', text }) });
  const shortest = (wanted: Wanted): number =>
    Math.min(...candidatesOn(wide, wanted).map((candidate) => provedSeconds(candidate.build(1), wide, wanted.size)));

  it('are not like those beside them: what crosses them need not wait for the others', () => {
    const size = 8 * 2 ** 20;
    const narrow = 2 ** 20 / (25 * 2 ** 30);
    const seconds = shortest({ kind: 'allgather', size, chunks: 1 });
    // Two rounds of the narrow links take 0.7 µs more; nothing takes less than three messages over each of the two wide links.
    expect(seconds).toBeLessThanOrEqual(2 * narrow + 0.7e-6 + 1e-12);
    expect(seconds).toBeGreaterThanOrEqual(1.5 * narrow + 0.7e-6 - 1e-12);
  });
});

describe('nothing to wait for', () => {
  it.each([0, 8])('without latency, %i bytes', (size) => {
    const topology = star(4, { latency: 0 });
    for (const kind of ['allgather', 'broadcast', 'reduce'] as const) {
      const seconds = provedSeconds(scheduleOn(topology, { kind, size, chunks: 2 }), topology, size);
      expect(seconds === 0).toBe(size === 0);
    }
  });
});

describe('machines at random', () => {
  const kinds = ['allgather', 'broadcast', 'reducescatter', 'reduce', 'allreduce'] as const;
  const samples = fc.record({
    topology: fc.integer({ min: 2, max: 6 }).chain((ranks) => randomMachine(ranks)),
    kind: fc.constantFrom(...kinds),
    root: fc.nat(),
    size: fc.constantFrom(0, 1, 96, 4096),
  });

  it('get plans that are correct and never faster than the bound', () => {
    fc.assert(
      fc.property(samples, ({ topology, kind, root, size }) => {
        const made = candidatesOn(topology, { kind, root: root % topology.chips.length, size });
        expect(made.length).toBeGreaterThan(0);
        for (const candidate of made) {
          const schedule = candidate.build(1);
          const bound = lowerBound(schedule.collective, topology, size).seconds;
          expect(provedSeconds(schedule, topology, size)).toBeGreaterThanOrEqual(bound * (1 - 1e-9));
        }
      }),
      drawn(20),
    );
  });
});

describe('switches that split the bandwidth', () => {
  it('an allgather keeps every downlink busy', () => {
    const topology: Topology = star(6, { latency: 0, bandwidth: 8, occupancy: 'pipelined' });
    const schedule = scheduleOn(topology, { kind: 'allgather', size: 48 });
    // Five shards of 8 bytes at 8 bytes per second.
    expect(provedSeconds(schedule, topology, 48)).toBeCloseTo(5, 9);
  });
});

/** What the list engine proposes, refuses and keeps to. */
import { describe, expect, it } from 'vitest';
import { resolveTopology, withoutLink } from '../../../src/read/index.ts';
import { link, machine } from '../../model/machines.ts';
import { candidatesOn, proposalsOn, provedSeconds, reasonsOn, scheduleOn } from './support.ts';

describe('proposals', () => {
  it('are none where one algorithm is asked for, and none for scans', () => {
    expect(proposalsOn('ring:4', { kind: 'allgather', algorithm: 'ring' })).toEqual([]);
    expect(proposalsOn('ring:4', { kind: 'scan' })).toEqual([]);
  });

  it('say why there are none', () => {
    expect(reasonsOn('ring:1', { kind: 'allgather' })).toEqual(['one rank has nothing to move']);
    expect(reasonsOn('dgx1', { kind: 'reduce', ordered: true })).toContain('needs an operator that commutes');
    const oneWay = machine(3, [link(0, 1), link(1, 2)]);
    expect(new Set(reasonsOn(oneWay, { kind: 'allgather' }))).toEqual(
      new Set(['some chips cannot reach others that need their data']),
    );
    expect(reasonsOn('dgx1', { kind: 'allreduce', chunks: 3 })).toContain(
      'a message of 3 chunks cannot be divided among 8 ranks',
    );
  });

  it('need only the ways that data takes', () => {
    const oneWay = machine(3, [link(0, 1), link(1, 2)]);
    provedSeconds(scheduleOn(oneWay, { kind: 'broadcast' }), oneWay);
    provedSeconds(scheduleOn(oneWay, { kind: 'reduce', root: 2 }), oneWay);
    expect(candidatesOn(oneWay, { kind: 'reduce', root: 0 })).toEqual([]);
  });

  it('reduce along a line from its far end, in few pieces, where chips cannot send while they reduce', () => {
    // The ring without its link in the middle of the numbers is the line 5, 4, … 0, 15, … 6.
    const line = withoutLink(resolveTopology('ring:16'), 5, 6);
    const named = candidatesOn(line, { kind: 'allreduce' }).filter(({ name }) => name.includes('reduce and broadcast'));
    const [{ steps, collective }] = named.map((candidate) => candidate.build(1));
    expect(collective.chunks).toBeLessThanOrEqual(8);
    const sources = new Map<number, Set<number>>();
    for (let step = 0; step < steps.stepCount; step++) {
      for (const { kind, source, destination } of steps.inStep(step)) {
        if (kind === 'reduce') sources.set(destination, (sources.get(destination) ?? new Set()).add(source));
      }
    }
    // A root between the ends would reduce what comes from both sides.
    expect([...sources.values()].map(({ size }) => size)).toEqual(Array(15).fill(1));
  });

  it('reduce short messages in the middle of the machine, from where the farthest chip is 3 + 2 links away, and long ones in a corner', () => {
    const steps = (size: number) => {
      const candidates = candidatesOn('mesh:6x4', { kind: 'allreduce', size });
      const named = candidates.find(({ name }) => name.includes('reduce and broadcast'));
      return named?.build(1).steps.stepCount ?? 0;
    };
    expect(steps(2 ** 10)).toBe(2 * (3 + 2));
    expect(steps(2 ** 30)).toBeGreaterThanOrEqual(2 * (5 + 3));
  });

  it('are few pieces of a reduce along a line too, from whatever root', () => {
    const line = withoutLink(resolveTopology('ring:16'), 5, 6);
    for (const root of [5, 0, 6])
      expect(scheduleOn(line, { kind: 'reduce', root }).collective.chunks).toBeLessThanOrEqual(16);
    expect(scheduleOn('torus:4x4', { kind: 'reduce' }).collective.chunks).toBeGreaterThan(16);
  });

  it('go round a broken link', () => {
    const broken = withoutLink(resolveTopology('ring:5'), 0, 1);
    provedSeconds(scheduleOn(broken, { kind: 'allgather' }), broken);
  });
});

describe('C', () => {
  it.each([1, 2, 3, 12, 200])('is what the user asks for: %i', (chunks) => {
    const schedule = scheduleOn('mesh:2x3', { kind: 'allgather', chunks });
    expect(schedule.collective.chunks).toBe(chunks);
    provedSeconds(schedule, 'mesh:2x3');
  });
});

describe('searches', () => {
  it.each(['mesh:3x4', 'fattree'])('on %s give the same bytes for the same seed', (topology) => {
    const made = () =>
      candidatesOn(topology, { kind: 'allgather', seed: 7 }).map((candidate) => candidate.build(1).steps);
    expect(made()).toEqual(made());
  });

  it('end with a correct schedule when there is no time', () => {
    for (const topology of ['mesh:4x4', 'fattree', 'a100:2']) {
      for (const kind of ['allgather', 'broadcast'] as const) {
        provedSeconds(scheduleOn(topology, { kind, shouldStop: () => true }), topology);
      }
    }
  });
});

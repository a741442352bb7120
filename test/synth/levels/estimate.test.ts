/** What a level is taken to cost, against closed forms. */
import { describe, expect, it } from 'vitest';
import { messageChunks } from '../../../src/ir/collective.ts';
import { Routes } from '../../../src/ir/routes.ts';
import type { Schedule } from '../../../src/ir/schedule.ts';
import { place } from '../../../src/passes/index.ts';
import { resolveTopology } from '../../../src/read/index.ts';
import { type Estimate, estimate } from '../../../src/synth/levels/estimate.ts';
import { collectiveOf } from '../../collectives.ts';
import { binomialBroadcast, meshAllgather, ringAllgather } from '../../passes/algorithms.ts';

const [latency, bandwidth] = [1e-6, 1e10];
const mebibyte = 2 ** 20;

/** Among several sets of ranks, with chunks of so many bytes. */
function among(sets: readonly (readonly number[])[], schedule: Schedule, routes: Routes, chunkBytes: number): Estimate {
  const chunks = messageChunks(schedule.collective);
  const slots = Int32Array.from({ length: chunks }, (_, slot) => slot);
  const collective = collectiveOf('allreduce', routes.topology.chips.length, { chunks });
  const placed = place(
    sets.map((members) => ({ schedule, members, slots })),
    { name: 'placed', collective },
  );
  return estimate(placed, routes, chunks * chunkBytes);
}

describe('an estimate', () => {
  it.each([2, 4, 7])('of a ring of %i is that of its steps', (ranks) => {
    const routes = new Routes(resolveTopology(`full:${ranks}`));
    const all = Array.from({ length: ranks }, (_, rank) => rank);
    const { seconds, busiest } = among([all], ringAllgather(ranks, 1), routes, mebibyte);
    expect(seconds).toBeCloseTo((ranks - 1) * (latency + mebibyte / bandwidth), 12);
    expect(busiest).toBeCloseTo(((ranks - 1) * mebibyte) / bandwidth, 12);
  });

  it('counts the turns at a port, with the latency that it is held for', () => {
    const routes = new Routes(resolveTopology('switch:5'));
    const { seconds, busiest } = among([[0, 1, 2, 3, 4]], meshAllgather(5), routes, mebibyte);
    expect(seconds).toBeCloseTo(4 * (latency + mebibyte / bandwidth), 12);
    expect(busiest).toBeCloseTo((4 * mebibyte) / bandwidth, 12);
  });

  it('takes the bytes of all that share a pipelined link, and one way', () => {
    const routes = new Routes(resolveTopology('a100:2'));
    const sets = [0, 8].map((first) => Array.from({ length: 8 }, (_, p) => first + p));
    const small = among(sets, meshAllgather(8), routes, 1);
    expect(small.seconds).toBeCloseTo(1e-6 + 7 / 300e9, 15);
    expect(among(sets, meshAllgather(8), routes, mebibyte).seconds).toBeCloseTo(1e-6 + (7 * mebibyte) / 300e9, 12);
  });

  it('adds what communicators put on a common link', () => {
    const routes = new Routes(resolveTopology('sg2260-cards:2'));
    const rails = [0, 1, 2, 3].map((position) => [position, 4 + position]);
    // One chunk from every chip crosses its card's PCIe link of 32 GB/s.
    expect(among(rails, meshAllgather(2), routes, mebibyte).busiest).toBeCloseTo((4 * mebibyte) / 32e9, 12);
    expect(among(rails.slice(0, 1), meshAllgather(2), routes, mebibyte).busiest).toBeCloseTo(mebibyte / 32e9, 12);
  });

  it('adds up steps that use the same links', () => {
    const routes = new Routes(resolveTopology('line:4'));
    const { seconds, busiest } = among([[0, 1, 2, 3]], binomialBroadcast(4), routes, mebibyte);
    // First over two links to rank 2, then over one from 0 to 1 and from 2 to 3: link 0 → 1 carries both.
    expect(seconds).toBeCloseTo(3 * latency + (2 * mebibyte) / bandwidth, 12);
    expect(busiest).toBeCloseTo((2 * mebibyte) / bandwidth, 12);
  });
});
